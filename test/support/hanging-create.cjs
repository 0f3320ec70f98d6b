/**
 * Required by a worker in a separate process: the bank receives the create and answers, but the activity never returns,
 * as with a lost thread or a connection that never closes. Needs `npm run build`.
 */
const client = require('../../dist/src/bank/http-bank-client');

const { createHttpBankClient } = client;
client.createHttpBankClient = (options) => {
  const bank = createHttpBankClient(options);
  return {
    ...bank,
    createTransfer: async (...args) => {
      await bank.createTransfer(...args);
      return new Promise(() => undefined);
    },
  };
};
