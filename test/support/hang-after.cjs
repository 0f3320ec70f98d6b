/**
 * For a worker in a separate process: the bank receives the requests of one method of the bank client and answers, but
 * the activity never returns, as with a lost thread or a connection that never closes. Needs `npm run build`.
 */
const client = require('../../dist/src/bank/http-bank-client');

module.exports = (method) => {
  const { createHttpBankClient } = client;
  client.createHttpBankClient = (options) => {
    const bank = createHttpBankClient(options);
    return {
      ...bank,
      [method]: async (...args) => {
        await bank[method](...args);
        return new Promise(() => undefined);
      },
    };
  };
};
