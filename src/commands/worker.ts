import { workerProgram } from '../worker';
import type { AddCommand } from './support/command';

export const addWorker: AddCommand = (parent, { io, end }) => {
  parent
    .command('worker')
    .description('run workflows and activities until SIGTERM or SIGINT, then drain')
    .action(async () => end(await workerProgram(io)));
};
