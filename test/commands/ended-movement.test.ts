import { Writable } from 'node:stream';
import { rawEndedMovement } from '../../src/commands/support/ended-movement';
import type { Context } from '../../src/context';
import { DEFAULT_TRANSFER_SETTINGS } from '../../src/domain/transfer/settings';
import type { ClaimedInquiry } from '../../src/journal/statements/inquiries';
import { InputError } from '../../src/program/exit-codes';
import type { CommandIo } from '../../src/program/io';

const io = { stderr: new Writable({ write: (_chunk, _encoding, done) => done() }) } as unknown as CommandIo;

test('raw: a process that was held up since its claim asks under a later one', async () => {
  let claims = 0;
  const asked: number[] = [];
  const context = {
    transferSettings: { ...DEFAULT_TRANSFER_SETTINGS, lookupTimeoutMs: 1 },
    journal: {
      claimInquiry: () => {
        claims += 1;
        const claimAgeMs = claims === 1 ? 60_000 : 1;
        return Promise.resolve({ kind: 'claimed', number: claims, claimAgeMs } as ClaimedInquiry);
      },
    },
    bank: {
      getRawMovement: () => {
        asked.push(claims);
        return Promise.resolve({ kind: 'not-found' });
      },
    },
  } as unknown as Context<'bank' | 'journal' | 'transferSettings'>;
  await rawEndedMovement(io, context, 4711);
  expect(asked).toEqual([2]);
});

test('waits for an earlier inquiry that may still be in flight, but not for the gap of DELAYED', async () => {
  const { lookupTimeoutMs, pollActiveMs, pollDelayedMs } = DEFAULT_TRANSFER_SETTINGS;
  const waitsFor = async (waitMs: number) => {
    let said = '';
    const stderr = new Writable({
      write: (chunk, _encoding, done) => {
        said += String(chunk);
        done();
      },
    });
    const context = {
      transferSettings: DEFAULT_TRANSFER_SETTINGS,
      journal: { claimInquiry: () => Promise.resolve({ kind: 'too-soon', waitMs }) },
    } as unknown as Context<'bank' | 'journal' | 'transferSettings'>;
    const asked = rawEndedMovement({ stderr } as unknown as CommandIo, context, 4711).catch(
      (error: unknown) => error,
    );
    return Promise.race([asked, new Promise((done) => setTimeout(() => done(said), 50))]);
  };
  jest.useFakeTimers({ advanceTimers: true });
  expect(await waitsFor(7_000 + lookupTimeoutMs + pollActiveMs)).toMatch(/^giro: waits 17000 ms/);
  expect(await waitsFor(pollDelayedMs)).toBeInstanceOf(InputError);
  jest.useRealTimers();
});
