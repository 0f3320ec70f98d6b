import { receiverProgram } from '../receiver';
import type { AddCommand } from './support/command';

export const addReceiver: AddCommand = (parent, { io, end }) => {
  parent
    .command('receiver')
    .description("take the bank's notifications and hint transfers, until SIGTERM or SIGINT, then drain")
    .action(async () => end(await receiverProgram(io)));
};
