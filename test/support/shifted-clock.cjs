/**
 * To be required by a process before anything else: its wall clock is CLOCK_AHEAD_MS ahead (negative: behind) of the
 * machine's, for JavaScript and for what the engine's core tells activities of its own clock.
 */
const { asyncLocalStorage } = require('@temporalio/activity');

const aheadMs = Number(process.env['CLOCK_AHEAD_MS']);
const MachineDate = Date;

globalThis.Date = class Date extends MachineDate {
  constructor(...given) {
    if (given.length === 0) super(MachineDate.now() + aheadMs);
    else super(...given);
  }

  static now() {
    return MachineDate.now() + aheadMs;
  }
};

const run = asyncLocalStorage.run.bind(asyncLocalStorage);
asyncLocalStorage.run = (context, ...rest) => {
  context.info.scheduledTimestampMs += aheadMs;
  return run(context, ...rest);
};
