import { workerProgram } from '../worker';
import type { AddCommand } from './support/command';
import { receiverProgram } from '../receiver';
import { startCodecServer } from '../codec-server/start';
import { logReady, runService } from '../program/run';
import { aborted, stopSignal } from '../program/io';

export const addWorker: AddCommand = (parent, { io, end }) => {
  parent
    .command('worker')
    .description('run workflows and activities until SIGTERM or SIGINT, then drain')
    .action(async () => end(await workerProgram(io)));
};

export const addReceiver: AddCommand = (parent, { io, end }) => {
  parent
    .command('receiver')
    .description("take the bank's notifications and hint transfers, until SIGTERM or SIGINT, then drain")
    .action(async () => end(await receiverProgram(io)));
};

export const addCodecServer: AddCommand = (parent, { io, end }) => {
  parent
    .command('codec-server')
    .description('show encrypted payloads to the Temporal UI and CLI, behind a bearer token (CODEC_SERVER_*)')
    .action(async () => {
      const code = await runService(io, ['codecServer'], async ({ logger, codecServer }) => {
        const stop = stopSignal(io);
        try {
          const { address, ...rest } = codecServer;
          const server = await startCodecServer({ ...address, ...rest, logger });
          try {
            logReady(logger, { http: server.address, origins: rest.origins });
            await aborted(stop.signal);
          } finally {
            await server.close();
          }
        } finally {
          stop.release();
        }
      });
      end(code);
    });
};
