import { proxyActivities, proxyLocalActivities, sleep } from '@temporalio/workflow';

/** Transfers without a journal, as a first sketch of such a workflow would be. */

const FINAL = new Set(['COMPLETED', 'FAILED']);
const options = { startToCloseTimeout: '30s' };

const transferBy =
  ({ create, getMovement }) =>
  async (order, pollMs) => {
    let status = await create(order);
    while (!FINAL.has(status)) {
      await sleep(pollMs);
      status = await getMovement(order.originId);
    }
    return status;
  };

/** Ordinary activities. */
export const naive = transferBy(proxyActivities(options));

/** Local activities: the fewest events that Temporal has for these steps. */
export const floor = transferBy(proxyLocalActivities(options));
