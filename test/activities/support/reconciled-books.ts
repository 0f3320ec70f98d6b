import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { reconciliationActivities } from '../../../src/activities/reconciliation';
import { createBankLimiter } from '../../../src/bank/limiter/limiter';
import type { LookupReply } from '../../../src/bank/movements/port';
import { importStatement } from '../../../src/commands/import-statement';
import type { Movement } from '../../../src/domain/movement';
import { ourBank } from '../../../src/bank/our-bank';
import type { TransferOrder } from '../../../src/domain/order';
import { bodyFingerprint, orderFingerprint } from '../../../src/domain/order-fingerprint';
import { DEFAULT_TRANSFER_SETTINGS } from '../../../src/domain/transfer/settings';
import type { JournalOptions } from '../../../src/journal/create-journal';
import type { RunState } from '../../../src/reconciliation/books';
import type { Report } from '../../../src/reconciliation/report';
import { orderCipher } from '../../../src/journal/ciphers';
import type { OrderCipher } from '../../../src/journal/ciphers';
import { quietRuntime } from '../../support/quiet-runtime';
import { openTestJournal } from '../../journal/support/open-test-journal';
import type { TestJournal } from '../../journal/support/open-test-journal';
import { insertAnswer } from '../../journal/support/insert-answer';
import { anOrder, newOriginId } from '../../journal/support/transfers';

type Status = 'COMPLETED' | 'FAILED' | 'DELAYED';
type Activities = ReturnType<typeof reconciliationActivities>;

export interface BookedTransfer {
  readonly originId: number;
  readonly movementId: string;
  readonly networkId: string;
  readonly order: TransferOrder;
}

export interface Booking {
  readonly status?: Status;
  /** ISO UTC. */
  readonly openedAt: string;
  readonly amount?: string;
  readonly from?: string;
  readonly to?: string;
  readonly cipher?: OrderCipher;
}

/** Reconciliations on a real journal with rows of any age; the bank's answers agree with the journal. */
export class ReconciledBooks {
  readonly asked: number[] = [];
  /** Notes and warnings of the last import of a statement. */
  readonly notes: string[] = [];
  /** The engine's state of a run that is not open; the engine lists runs that the journal does not know. */
  readonly runs = new Map<number, RunState>();
  /** The fields in which the bank differs from the journal. */
  readonly atBank = new Map<number, Partial<Movement>>();
  private readonly transfers = new Map<number, { order: TransferOrder; status: Status }>();
  private nextAsOfMs = Math.floor(Date.now() / 1_000) * 1_000 - 600_000;
  private readonly runIn = new MockActivityEnvironment();

  private constructor(
    readonly db: TestJournal,
    private readonly folder: string,
  ) {}

  static async open(options?: JournalOptions): Promise<ReconciledBooks> {
    quietRuntime();
    return new ReconciledBooks(await openTestJournal(options), await mkdtemp(join(tmpdir(), 'giro-books-')));
  }

  async close(): Promise<void> {
    await rm(this.folder, { recursive: true });
    await this.db.close();
  }

  /** Books a transfer that was opened at this time and ended a minute later. */
  async book(booking: Booking): Promise<BookedTransfer> {
    const { status = 'COMPLETED', openedAt, amount, cipher = orderCipher(null) } = booking;
    const originId = newOriginId();
    const plain = anOrder(originId, amount);
    const order: TransferOrder = {
      ...plain,
      from: { ...plain.from, address: booking.from ?? plain.from.address },
      to: { ...plain.to, address: booking.to ?? plain.to.address },
    };
    const [movementId, networkId] = [`88${originId}`, `NET${originId}`];
    const movement = {
      ...{ status, movementId, network: 'COELSA', networkId, postingAt: null, completedAt: null },
      ...({ echo: 'match', echoFields: [], evidenceSha256: '0'.repeat(64) } as const),
    };
    await this.db.sql(
      `with opened as (
         insert into giro.transfer (origin_id, order_sha256, order_json, create_body_sha256, opened_at)
         values ($1::bigint, $2, $3::jsonb, $4, $5::timestamptz)
       )
       insert into giro.request (origin_id, number, kind, run_id, claimed_at)
       values ($1::bigint, 1, 'create', 'run-1', $5::timestamptz)`,
      [
        ...[originId, orderFingerprint(order), JSON.stringify(cipher.sealOrder(order))],
        ...[bodyFingerprint(ourBank.movements.createBody(order)), openedAt],
      ],
    );
    await insertAnswer(this.db.sql, {
      ...{ originId, number: 1, answer: { kind: 'answered', movement }, recordedAt: openedAt },
    });
    const result = {
      ...{ originId, movementId, network: 'COELSA', networkId, annulmentId: null, reason: null },
      ...{ amount: { currency: '032', value: order.body.amount }, decidedBy: 'bank' as const },
      orderSha256: orderFingerprint(order),
    };
    if (status === 'COMPLETED') {
      await this.db.sql(
        `insert into giro.result (origin_id, result, recorded_at)
         values ($1::bigint, $2::jsonb, $3::timestamptz + interval '1 minute')`,
        [originId, JSON.stringify({ ...result, status }), openedAt],
      );
    }
    if (status === 'FAILED') {
      const failed = { ...result, status } as const;
      await this.db.journal.recordAnnulment({ result: failed, evidenceNumber: 1, operators: [] });
    }
    this.transfers.set(originId, { order, status });
    return { originId, movementId, networkId, order };
  }

  /** Reads a statement from a file, as the command does. */
  async statement(
    text: string | Buffer,
    mapping: object,
    fromAccounts: readonly string[] | null = null,
  ): Promise<number> {
    const [file, mappingFile] = [join(this.folder, 'statement.csv'), join(this.folder, 'mapping.json')];
    await writeFile(file, text);
    await writeFile(mappingFile, JSON.stringify(mapping));
    this.notes.length = 0;
    const stderr = { write: (line: string) => this.notes.push(line) };
    return importStatement({ stderr } as never, { info: () => undefined } as never, this.db.journal, {
      file,
      mappingFile,
      fromAccounts,
    });
  }

  /** A complete run; `asOf`: default, a new one. */
  async reconcile(
    input: {
      readonly asOf?: string;
      readonly from?: string;
      readonly to?: string;
      readonly statementId?: number;
    } = {},
  ): Promise<Report> {
    const asOf = input.asOf ?? `${new Date((this.nextAsOfMs += 1_000)).toISOString().slice(0, 19)}Z`;
    const activities = this.activities();
    await this.runIn.run(activities.openReconciliation, { input: { ...input, asOf }, defaultAsOf: asOf });
    for (let step = 1; (await this.runIn.run(activities.reconcileStep, { asOf, step })) === true; step += 1);
    await this.runIn.run(activities.endReconciliation, asOf);
    const report = await this.db.journal.report(asOf);
    if (report === null) throw new Error('there is no report');
    return report;
  }

  private activities(): Activities {
    return reconciliationActivities({
      ...{ journal: this.db.journal, keepMs: 90 * 86_400_000 },
      bank: {
        getMovement: (key) => {
          const originId = Number('originId' in key ? key.originId : 0);
          this.asked.push(originId);
          return Promise.resolve(this.answer(originId));
        },
      },
      engine: {
        observe: (originId) =>
          Promise.resolve(this.runs.get(originId) ?? { kind: 'open', startedAt: new Date().toISOString() }),
        started: () => Promise.resolve({ originIds: [...this.runs.keys()], token: null }),
        hint: () => Promise.resolve(),
        restart: () => Promise.resolve(),
      },
      settings: { ...DEFAULT_TRANSFER_SETTINGS, pollActiveMs: 1, lookupTimeoutMs: 100 },
      limiter: createBankLimiter({ maxRps: 0, pollActiveMs: 1 }),
    });
  }

  private answer(originId: number): LookupReply {
    const known = this.transfers.get(originId);
    if (known === undefined) return { kind: 'not-found' };
    const { order, status } = known;
    const account = ({ address, owner }: TransferOrder['from']) => ({ address, personIds: [owner.personId] });
    return {
      kind: 'movement',
      movement: {
        ...{ id: `88${originId}`, status, hasDetails: true, type: null, originId: String(originId) },
        ...{ amount: order.body.amount, currency: '032', network: 'COELSA', networkId: `NET${originId}` },
        ...{
          postingAt: null,
          completedAt: null,
          destination: account(order.to),
          source: account(order.from),
        },
        ...this.atBank.get(originId),
      },
      evidenceSha256: 'cd'.repeat(32),
    };
  }
}
