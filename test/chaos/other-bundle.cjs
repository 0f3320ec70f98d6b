/** Loaded before the worker's program, to make another build of it: its workflows are in the bundle `OTHER_BUNDLE`. */
const { Worker } = require('@temporalio/worker');

const create = Worker.create.bind(Worker);
Worker.create = (options) =>
  create({ ...options, workflowBundle: { codePath: process.env['OTHER_BUNDLE'] } });
