import { Client } from 'pg';
import { stateOf, until } from '../../dev/giro-environment';
import { textsBesideTheOrder } from '../support/history-texts';
import { nextOriginId, orderOf, useEnvironment } from './environment';

/** Values that occur nowhere else, so that each one found shows where it came from. */
const CANARIES = {
  from: '0009001601234567890126',
  to: '3220001880500009999902',
  payer: '30707101020',
  payee: '27361705039',
  description: 'Canario Ñandú de Ñuñoa',
} as const;
/** How the sandbox bank names everybody. */
const BANKS_NAME = 'Razón Señal';
/** Of somebody whom the order does not name: what the bank reports in place of its accounts and tax ids. */
const REPORTED = { account: '4320001001000313873006', person: '20509776742' } as const;
const PERSONAL = [...Object.values(CANARIES), BANKS_NAME, ...Object.values(REPORTED)];

const OTHER_PARTIES = {
  ...{ 'counterparty.accountRouting.address': REPORTED.account, 'counterparty.personId': REPORTED.person },
  'thisSubAccount.accountRouting.address': REPORTED.account,
  'thisSubAccount.owners': [{ personId: REPORTED.person }, { personId: BANKS_NAME }],
};
/** Held by such answers at first: what they report instead is shown, and no person in it. */
const HELD_AT_FIRST = {
  '1.07': { ...OTHER_PARTIES, 'details.amount': 999 },
  '1.08': { 'details.amount': Number(REPORTED.person), 'details.amountCurrency': BANKS_NAME },
};
const TOLD: Readonly<Record<string, string>> = {
  '1.07': '"reported":{"amount":"999.00","currency":"032"}',
  '1.08': '"reported":{"amount":null,"currency":null}',
};

const environment = useEnvironment({
  rules: [
    { match: { amount: '1.01' }, states: ['CREATED', 'IN_PROGRESS', 'COMPLETED'] },
    { match: { amount: '1.02' }, states: ['CREATED', 'FAILED'] },
    { match: { amount: '1.03' }, create: ['lost-answer'] },
    { match: { amount: '1.04' }, states: [`ACREDITADO A ${CANARIES.payee}`, BANKS_NAME, 'COMPLETED'] },
    {
      match: { amount: '1.05' },
      states: ['CREATED', 'COMPLETED'],
      echo: [
        {
          set: {
            'counterparty.accountRouting.address': CANARIES.from,
            'details.network': `${BANKS_NAME} SA`,
            'details.networkId': CANARIES.description,
          },
          from: 2,
          until: 2,
        },
      ],
    },
    {
      match: { amount: '1.06' },
      create: [
        { fault: 'http-422', code: CANARIES.payee, body: { code: CANARIES.payee, message: BANKS_NAME } },
      ],
    },
    ...Object.entries(HELD_AT_FIRST).map(([amount, set]) => ({
      ...{ match: { amount }, states: ['CREATED', 'COMPLETED'], echo: [{ set, until: 2 }] },
    })),
  ],
});

const AMOUNTS = ['1.01', '1.02', '1.03', '1.04', '1.05', '1.06', ...Object.keys(TOLD)];

function canaryOrder(originId: number, amount: string) {
  const { from, to, body } = orderOf(originId, CANARIES.description, amount);
  return {
    originId,
    from: { ...from, address: CANARIES.from, owner: { ...from.owner, personId: CANARIES.payer } },
    to: { ...to, address: CANARIES.to, owner: { ...to.owner, personId: CANARIES.payee } },
    body,
  };
}

const leaksIn = (text: string): string[] => PERSONAL.filter((value) => text.includes(value));

describe('personal data stays in the order', () => {
  it.concurrent.each(AMOUNTS)('a transfer of %s, while it is open and after its end', async (amount) => {
    const { env } = environment();
    const originId = nextOriginId();
    await env.skipping.startTransfer(canaryOrder(originId, amount));
    const handle = env.transfer(originId);
    const seen: string[] = [];
    const look = async (): Promise<string> => {
      const view = await stateOf(env, originId);
      const metadata = await handle.query('__temporal_workflow_metadata');
      const described = await handle.describe();
      const { raw, memo, typedSearchAttributes } = described;
      expect(memo ?? {}).toEqual({});
      seen.push(JSON.stringify([view, metadata, memo, raw]), JSON.stringify(typedSearchAttributes));
      return described.status.name;
    };
    await until(look, (status) => status !== 'RUNNING');
    const result = await env.giro.waitForTransfer(originId);
    seen.push(JSON.stringify(result));
    // The check covers the details that an operator reads.
    expect(seen[0]).toContain('currentDetails');
    expect(leaksIn(seen.join())).toEqual([]);

    const history = await handle.fetchHistory();
    const texts = textsBesideTheOrder(history);
    expect(texts.filter(({ text }) => leaksIn(text).length > 0)).toEqual([]);
    // Payloads are read: the results of activities are among the texts.
    expect(texts.some(({ text }) => text.includes('"kind":"answer"'))).toBe(true);
    const told = TOLD[amount] ?? '';
    expect(texts.some(({ text }) => text.includes(told))).toBe(true);
    // And the order, which may hold them, was left out.
    const start = history.events![0]!.workflowExecutionStartedEventAttributes!;
    const order = Buffer.from(start.input!.payloads![0]!.data!).toString('utf8');
    expect(leaksIn(order)).toEqual(Object.values(CANARIES));
  });

  it('the bank’s name for a person is nowhere in the journal; the order’s own data is in the order alone', async () => {
    const found = await journalCellsWith(environment().databaseUrl, PERSONAL);
    expect([...new Set(found)].sort()).toEqual(['transfer.order_json']);
    expect(await journalCellsWith(environment().databaseUrl, [BANKS_NAME])).toEqual([]);
  });
});

/** `table.column` of every cell that contains one of the texts. */
async function journalCellsWith(databaseUrl: string, texts: readonly string[]): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      "select table_name as name from information_schema.tables where table_schema = 'giro' and table_type = 'BASE TABLE'",
    );
    const found: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<Record<string, unknown>>(`select * from giro."${name}"`);
      for (const [column, cell] of rows.flatMap((row) => Object.entries(row))) {
        const json = JSON.stringify(cell);
        if (texts.some((text) => json.includes(text))) found.push(`${name}.${column}`);
      }
    }
    return found;
  } finally {
    await client.end();
  }
}
