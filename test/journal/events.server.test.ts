import { followEvents } from '../../src/client/follow-events';
import { CursorRefused } from '../../src/journal/event-feed';
import type { GiroEvent } from '../../src/journal/event-feed';
import { JournalUnavailable } from '../../src/journal/errors';
import { FEED_TABLES } from '../../src/journal/statements/event-sources';
import type { Journal } from '../../src/journal/journal';
import { copyJournal } from './support/copy-journal';
import { openTestJournal } from './support/open-test-journal';
import type { TestJournal } from './support/open-test-journal';
import { anOrder, answered, aResult, ask, claim, openNew } from './support/transfers';

let db: TestJournal;
beforeAll(async () => (db = await openTestJournal()));
afterAll(() => db.close());

const newest = async (): Promise<string | null> => (await eventsAfter(null)).at(-1)?.cursor ?? null;

async function eventsAfter(after: string | null, journal = db.journal): Promise<GiroEvent[]> {
  const found: GiroEvent[] = [];
  for (let cursor = after; ; cursor = found.at(-1)?.cursor ?? null) {
    const page = await journal.events({ after: cursor, limit: 1_000 });
    found.push(...page);
    if (page.length === 0) return found;
  }
}

async function failedTransfer(): Promise<number> {
  const originId = await openNew(db.journal);
  await ask(db.journal, originId, 1, answered('FAILED'));
  await db.journal.recordAnnulment({ result: aResult(originId, 'FAILED'), evidenceNumber: 1, operators: [] });
  return originId;
}

test('each kind, in the order of what happened, and nothing of a person', async () => {
  const { journal } = db;
  const before = await newest();
  const originId = await openNew(journal);
  await journal.recordFlags(originId, ['OUTCOME_UNKNOWN', 'OPEN_TOO_LONG']);
  await journal.recordFlags(originId, ['OPEN_TOO_LONG', 'VANISHED']);
  await ask(journal, originId, 1, answered('FAILED'));
  const { result } = await journal.recordAnnulment({
    result: aResult(originId, 'FAILED'),
    evidenceNumber: 1,
    operators: [],
  });
  await journal.recordFlags(originId, []);
  const head = {
    cursor: expect.stringMatching(/^e1-/) as string,
    at: expect.any(String) as string,
    originId,
  };
  const events = await eventsAfter(before);
  expect(events).toEqual([
    {
      ...head,
      kind: 'flags',
      raised: ['OUTCOME_UNKNOWN', 'OPEN_TOO_LONG'],
      cleared: [],
      open: ['OUTCOME_UNKNOWN', 'OPEN_TOO_LONG'],
    },
    {
      ...head,
      kind: 'flags',
      raised: ['VANISHED'],
      cleared: ['OUTCOME_UNKNOWN'],
      open: ['OPEN_TOO_LONG', 'VANISHED'],
    },
    {
      ...head,
      kind: 'annulment',
      annulment: {
        id: result.annulmentId,
        movementId: '880011',
        network: 'COELSA',
        networkId: 'L4K7EGO5D3Z2J1V9QWERTY',
        amount: '1500.25',
        currency: '032',
        bankStatus: 'FAILED',
        bankTimes: { posting: '2026-01-05T10:00:00Z', completed: '2026-01-05T10:00:09Z' },
        evidenceSha256: 'ab'.repeat(32),
        decidedBy: 'bank',
        operators: [],
      },
    },
    { ...head, kind: 'final', result },
    { ...head, kind: 'flags', raised: [], cleared: ['OPEN_TOO_LONG', 'VANISHED'], open: [] },
  ]);
  const { from, to, body } = anOrder(originId);
  const personal = [from, to].flatMap((party) => [party.address, party.owner.personId]);
  for (const value of [...personal, body.description]) expect(JSON.stringify(events)).not.toContain(value);
});

test('a decision, without the reason that operators gave', async () => {
  const before = await newest();
  const originId = await openNew(db.journal);
  await db.journal.recordDecision(originId, {
    id: 'd1',
    outcome: 'proposed',
    action: 'accept-failed',
    operator: 'ana',
    operators: ['ana'],
    reason: 'bank letter 17',
    bankStatus: null,
    ...{ flags: [], afterNumber: 0 },
  });
  const [event] = await eventsAfter(before);
  expect(event).toMatchObject({
    kind: 'decision',
    originId,
    decision: {
      outcome: 'proposed',
      action: 'accept-failed',
      operator: 'ana',
      operators: ['ana'],
      bankStatus: null,
    },
  });
  expect(JSON.stringify(event)).not.toContain('letter');
});

test('a final that operators decided comes without their text', async () => {
  const before = await newest();
  const originId = await openNew(db.journal);
  await db.sql('set session_replication_role = replica');
  const result = aResult(originId, 'COMPLETED', { decidedBy: 'operators', reason: 'letter of somebody' });
  await db.sql('insert into giro.result (origin_id, opened_at, result) values ($1, now(), $2)', [
    originId,
    JSON.stringify(result),
  ]);
  await db.sql('reset session_replication_role');
  expect(await eventsAfter(before)).toMatchObject([{ kind: 'final', result: { ...result, reason: null } }]);
});

test('pages of any size give the same events in the same order', async () => {
  await failedTransfer();
  const all = await eventsAfter(null);
  for (const limit of [1, 2, 3, 1_000]) {
    const paged: GiroEvent[] = [];
    for (let after: string | null = null; ; after = paged.at(-1)?.cursor ?? null) {
      const page = await db.journal.events({ after, limit });
      expect(page.length).toBeLessThanOrEqual(limit);
      if (page.length === 0) break;
      paged.push(...page);
    }
    expect(paged).toEqual(all);
  }
});

describe('writers at the same time', () => {
  test('what has a higher number and commits first waits for the lower one; other transactions do not count', async () => {
    const [slow, fast, stranger] = await Promise.all([db.connect(), db.connect(), db.connect()]);
    const [first, second] = [await openNew(db.journal), await openNew(db.journal)];
    const before = await newest();
    const flag = 'insert into giro.flags (origin_id, seq, reasons) values ($1, 1, $2)';
    await stranger.query('begin');
    await stranger.query('create table strange (id integer)');

    await slow.query('begin');
    await slow.query(flag, [first, ['VANISHED']]);
    await fast.query(flag, [second, ['VANISHED']]);
    expect(await eventsAfter(before)).toEqual([]);
    await slow.query('commit');
    expect((await eventsAfter(before)).map(({ originId }) => originId)).toEqual([first, second]);

    await slow.query('begin');
    await slow.query('insert into giro.flags (origin_id, seq, reasons) values ($1, 2, $2)', [first, []]);
    await db.journal.recordFlags(second, []);
    const cursor = await newest();
    expect(await eventsAfter(cursor)).toEqual([]);
    await slow.query('rollback');
    expect((await eventsAfter(cursor)).map(({ originId }) => originId)).toEqual([second]);
    await stranger.query('rollback');
  });

  test('8 writers that dawdle before they commit: a reader of small pages sees every event once, in one order', async () => {
    const [WRITERS, TURNS] = [8, 25];
    const before = await newest();
    const committed: string[] = [];
    let writing = WRITERS;
    const write = async (writer: number): Promise<void> => {
      const client = await db.connect();
      for (let turn = 1; turn <= TURNS; turn += 1) {
        const originId = await openNew(db.journal);
        const rollsBack = (turn + writer) % 5 === 0;
        await client.query('begin');
        for (const seq of [1, 2]) {
          await client.query('insert into giro.flags (origin_id, seq, reasons) values ($1, $2, $3)', [
            ...[originId, seq],
            [`W${writer}`],
          ]);
          await client.query('select pg_sleep(random() * 0.02)');
        }
        await client.query(rollsBack ? 'rollback' : 'commit');
        if (!rollsBack) committed.push(`${originId} 1`, `${originId} 2`);
      }
      writing -= 1;
    };
    const seen: GiroEvent[] = [];
    let emptyPages = 0;
    const read = async (): Promise<void> => {
      for (;;) {
        const last = writing === 0;
        const page = await db.journal.events({
          after: seen.at(-1)?.cursor ?? before,
          limit: 1 + (seen.length % 7),
        });
        seen.push(...page);
        if (page.length > 0) continue;
        if (last) return;
        emptyPages += 1;
      }
    };
    await Promise.all([read(), ...Array.from({ length: WRITERS }, (_, writer) => write(writer))]);

    // A reader that was behind all the time would prove nothing.
    expect(emptyPages).toBeGreaterThan(0);
    const perTransfer = new Map<number, number>();
    const names = seen.map(({ originId }) => {
      perTransfer.set(originId, (perTransfer.get(originId) ?? 0) + 1);
      return `${originId} ${perTransfer.get(originId)}`;
    });
    expect([...names].sort()).toEqual([...committed].sort());
    expect(await eventsAfter(before)).toEqual(seen);
  });

  test('every table of the feed has the trigger that makes readers wait for its writers', async () => {
    for (const table of FEED_TABLES) {
      const { rows } = await db.sql(
        `select tgname, tgenabled from pg_trigger where tgrelid = $1::regclass and tgname = 'enter_feed'`,
        [`giro.${table}`],
      );
      expect([table, rows]).toEqual([table, [{ tgname: 'enter_feed', tgenabled: 'O' }]]);
    }
  });

  test('also where the numbers of the lock begin anew', async () => {
    const own = await openTestJournal();
    try {
      const [slow, originId] = [await own.connect(), await openNew(own.journal)];
      const other = await openNew(own.journal);
      await own.sql(`select setval('giro.record_id', (1::bigint << 31) - 3)`);
      await slow.query('begin');
      await slow.query(`insert into giro.flags (origin_id, seq, reasons) values ($1, 1, '{A}')`, [originId]);
      for (let turn = 1; turn <= 4; turn += 1) await own.journal.recordFlags(other, [`T${turn}`]);
      expect(await own.journal.events({ after: null, limit: 10 })).toEqual([]);
      await slow.query('commit');
      expect(await own.journal.events({ after: null, limit: 10 })).toHaveLength(5);
    } finally {
      await own.close();
    }
  });
});

describe('a cursor', () => {
  test('outlives a dump and a restore of the journal', async () => {
    await failedTransfer();
    const all = await eventsAfter(null);
    const restored = await copyJournal(db);
    try {
      expect(await eventsAfter(null, restored.journal)).toEqual(all);
      expect(await eventsAfter(all[2]?.cursor ?? '', restored.journal)).toEqual(all.slice(3));
      await restored.journal.recordFlags(all[0]?.originId ?? 0, ['AFTERWARDS']);
      expect(await eventsAfter(all.at(-1)?.cursor ?? '', restored.journal)).toMatchObject([
        { kind: 'flags', raised: ['AFTERWARDS'] },
      ]);
    } finally {
      await restored.close();
    }
  });

  test('of an event that an older backup does not have is refused, also when others take its number', async () => {
    const backup = await copyJournal(db);
    try {
      const lost = await failedTransfer();
      const cursor = (await eventsAfter(null)).findLast(({ originId }) => originId === lost)?.cursor ?? '';
      await expect(backup.journal.events({ after: cursor, limit: 1 })).rejects.toThrow(
        /restored from a backup/,
      );
      const originId = await openNew(backup.journal);
      for (let turn = 1; turn <= 9; turn += 1) await backup.journal.recordFlags(originId, [`T${turn}`]);
      await expect(backup.journal.events({ after: cursor, limit: 1 })).rejects.toThrow(CursorRefused);
    } finally {
      await backup.close();
    }
  });

  test('of another journal is refused', async () => {
    const other = await openTestJournal();
    try {
      const originId = await openNew(other.journal);
      await other.journal.recordFlags(originId, ['VANISHED']);
      const [event] = await other.journal.events({ after: null, limit: 1 });
      await expect(db.journal.events({ after: event?.cursor ?? '', limit: 1 })).rejects.toThrow(
        /of another journal/,
      );
    } finally {
      await other.close();
    }
  });

  test.each([
    '',
    '1',
    'e1-0-0123456789abcdef',
    'e1-9223372036854775808-0123456789abcdef',
    'e1-1-0123456789ABCDEF',
  ])('is what an event carries: %j is none', async (text) => {
    await expect(db.journal.events({ after: text, limit: 1 })).rejects.toThrow(/not a cursor/);
  });

  test('of what no event has (an answer has a number too) is refused', async () => {
    const originId = await openNew(db.journal);
    await claim(db.journal, originId, 1, 'create');
    await db.journal.recordAnswer({ originId, number: 1, answer: answered('CREATED'), digest: 'd' });
    const { rows } = await db.sql('select record_id from giro.answer where origin_id = $1', [originId]);
    const cursor = `e1-${String(rows[0]?.['record_id'])}-0123456789abcdef`;
    await expect(db.journal.events({ after: cursor, limit: 1 })).rejects.toThrow(CursorRefused);
  });
});

test('following: what is there, then what comes, over outages, until it is stopped', async () => {
  const stop = new AbortController();
  const after = await newest();
  const first = await failedTransfer();
  let looks = 0;
  const flaky: Pick<Journal, 'events'> = {
    events: (page) => {
      looks += 1;
      return looks === 2 || looks === 3
        ? Promise.reject(new JournalUnavailable('away'))
        : db.journal.events(page);
    },
  };
  const seen: string[] = [];
  const outages: string[] = [];
  const onUnavailable = ({ message }: Error): number => outages.push(message);
  for await (const { originId, kind } of followEvents(flaky, {
    after,
    pollMs: 5,
    signal: stop.signal,
    onUnavailable,
  })) {
    seen.push(`${originId === first ? 'first' : 'second'} ${kind}`);
    if (seen.length === 2) await failedTransfer();
    if (seen.length === 3) stop.abort();
  }
  // Stopped in the middle of a page: nothing more is handed out.
  expect(seen).toEqual(['first annulment', 'first final', 'second annulment']);
  expect(outages).toEqual(['away', 'away']);
});

test('following does not begin with a journal that is away, or behind a cursor that is refused', async () => {
  const away: Pick<Journal, 'events'> = { events: () => Promise.reject(new JournalUnavailable('away')) };
  await expect(followEvents(away).next()).rejects.toThrow(JournalUnavailable);
  await expect(followEvents(db.journal, { after: 'e1-1-0123456789abcdef' }).next()).rejects.toThrow(
    CursorRefused,
  );
});
