import * as restate from '@restatedev/restate-sdk';
import { create, getMovement, isFinal, ready } from './bank.mjs';

// The SDK uses it, and Node 20 lacks it.
Promise.withResolvers ??= () => {
  let resolve, reject;
  const promise = new Promise((...both) => ([resolve, reject] = both));
  return { promise, resolve, reject };
};

/** A Restate service: the server calls it for each workflow `transfer/ORIGIN_ID/run`. */

const transfer = restate.workflow({
  name: 'transfer',
  handlers: {
    run: async (context, { order, pollMs }) => {
      let status = await context.run('create', () => create(order));
      while (!isFinal(status)) {
        await context.sleep({ milliseconds: pollMs });
        status = await context.run('getMovement', () => getMovement(order.originId));
      }
      return status;
    },
  },
});

await restate.serve({ services: [transfer], port: Number(process.env.PORT) });
ready();
process.once('SIGTERM', () => process.exit(0));
