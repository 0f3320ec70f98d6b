/**
 * To be required by a worker of its own process: the bank is sent the create and answers it, and the activity never
 * comes back, as with a lost thread or a server that never closes. Needs `npm run build`.
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
