/**
 * Required by a process before anything else. Sets its wall clock CLOCK_AHEAD_MS ahead of the machine's (negative:
 * behind), for JavaScript, and for the times that the SDK's core passes to activities.
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
