/**
 * Loaded into a worker's process before the program. SIGUSR2 simulates two warnings of Temporal's core about a stuck
 * run, and keeps the process from ending by itself.
 */
const { Runtime } = require('@temporalio/worker');

process.on('SIGUSR2', () => {
  setInterval(() => undefined, 1_000);
  const error = 'Fatal("Attempted to check for LA marker handling in invalid state MarkerCommandCreated")';
  for (let times = 1; times <= 2; times += 1) {
    Runtime.instance().logger.warn('Error while updating workflow', { sdkComponent: 'core', error });
  }
});
