import type * as CodecServer from '../codec-server/start';
import type * as Receiver from '../receiver';
import type * as Worker from '../worker';
import type { AddCommand } from './support/command';
import { logReady, runService } from '../program/run';
import { aborted, stopSignal } from '../program/io';

// Each service is loaded only when it is started: loading all of them would double the start-up time of every command.
/* eslint-disable @typescript-eslint/no-require-imports -- `import()` of a file of ours needs its extension, which jest does not find */

export const addWorker: AddCommand = (parent, { io, end }) => {
  parent
    .command('worker')
    .description('run workflows and activities until SIGTERM or SIGINT, then drain')
    .action(async () => {
      const { workerProgram } = require('../worker') as typeof Worker;
      end(await workerProgram(io));
    });
};

export const addReceiver: AddCommand = (parent, { io, end }) => {
  parent
    .command('receiver')
    .description("verify and store the bank's notifications until SIGTERM or SIGINT, then drain")
    .action(async () => {
      const { receiverProgram } = require('../receiver') as typeof Receiver;
      end(await receiverProgram(io));
    });
};

export const addCodecServer: AddCommand = (parent, { io, end }) => {
  parent
    .command('codec-server')
    .description('show encrypted payloads to the Temporal UI and CLI, behind a bearer token (CODEC_SERVER_*)')
    .action(async () => {
      const { startCodecServer } = require('../codec-server/start') as typeof CodecServer;
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
