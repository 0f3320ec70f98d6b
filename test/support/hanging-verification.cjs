/**
 * Required by a worker in a separate process: the bank receives the look-up of a verification and answers, but the
 * activity never returns. Needs `npm run build`.
 */
const client = require('../../dist/src/bank/http-bank-client');

const { createHttpBankClient } = client;
client.createHttpBankClient = (options) => {
  const bank = createHttpBankClient(options);
  return {
    ...bank,
    getVerification: async (...args) => {
      await bank.getVerification(...args);
      return new Promise(() => undefined);
    },
  };
};
