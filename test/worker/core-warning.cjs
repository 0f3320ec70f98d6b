/**
 * Loaded into a worker's process before the program: SIGUSR2 makes Temporal's core seem to warn of a stuck run, twice,
 * and keeps the process from ending by itself.
 */
const { Runtime } = require('@temporalio/worker');

process.on('SIGUSR2', () => {
  setInterval(() => undefined, 1_000);
  const error = 'Fatal("Attempted to check for LA marker handling in invalid state MarkerCommandCreated")';
  for (let times = 1; times <= 2; times += 1) {
    Runtime.instance().logger.warn('Error while updating workflow', { sdkComponent: 'core', error });
  }
});
