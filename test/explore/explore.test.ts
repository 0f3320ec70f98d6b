import type * as Alphabet from '../../dev/explore/events';
import { FORGOTTEN, LOST_BY_FAILOVER } from '../../dev/explore/rebuilt';
import type * as Model from '../../dev/explore/journal-model';
import { search } from '../../dev/explore/search';
import type * as Search from '../../dev/explore/search';
import type * as Standing from '../../src/domain/transfer/echo-state';
import type * as Facts from '../../src/domain/transfer/facts';

const ECHO = '../../src/domain/transfer/echo-state';
const FACTS = '../../src/domain/transfer/facts';
const MODEL = '../../dev/explore/journal-model';

/** A search with its own copies of the modules, some of them replaced by old defects. */
function searchWith(
  putBack: () => void,
  { depth, only }: { readonly depth: number; readonly only?: readonly RegExp[] },
): Promise<Search.Found> {
  const found: Promise<Search.Found>[] = [];
  jest.isolateModules(() => {
    putBack();
    const isolated = jest.requireActual<typeof Search>('../../dev/explore/search');
    const { ALPHABET } = jest.requireActual<typeof Alphabet>('../../dev/explore/events');
    const alphabet = ALPHABET.filter(({ name }) => only?.some((pattern) => pattern.test(name)) ?? true);
    found.push(isolated.search({ depth, alphabet }));
  });
  jest.dontMock(ECHO);
  jest.dontMock(FACTS);
  jest.dontMock(MODEL);
  return found[0]!;
}

it('no trace of three events breaks a rule', async () => {
  const { violation, states } = await search({ depth: 3 });
  expect(violation).toBeNull();
  expect(states).toBeGreaterThan(5_000);
});

it('names a reason for everything in which a rebuilt state may differ', () => {
  for (const reason of Object.values({ ...FORGOTTEN, ...LOST_BY_FAILOVER })) expect(reason).not.toBe('');
});

/** Ids count only in an answer that speaks of our order, as the machine once had it. */
const idsOfOursAlone = (): void => {
  jest.doMock(ECHO, () => {
    const actual = jest.requireActual<typeof Standing>(ECHO);
    return {
      ...actual,
      echoAfter: ((before, seen, by) => {
        const judged = actual.echoAfter(before, seen, by);
        return judged.isOurs
          ? judged
          : { ...judged, echo: { ...judged.echo, movementIds: before.movementIds } };
      }) satisfies (typeof Standing)['echoAfter'],
    };
  });
};

describe('a defect that is put back is found, by the shortest trace', () => {
  const LOOKUPS = [
    /^the answer of the create is lost$/,
    /^the create is answered: IN_PROGRESS/,
    /^a look-up is answered/,
  ];

  it('an end that the guard refuses: ids in wrong and incomplete answers are forgotten', async () => {
    const { violation } = await searchWith(idsOfOursAlone, { depth: 4, only: LOOKUPS });
    expect(violation?.rule).toMatch(/^the guard refuses (COMPLETED|FAILED)|although the movement id changed/);
    expect(violation?.trace.length).toBeLessThanOrEqual(5);
  });

  it('COMPLETED although the movement id changed, with a guard that forgets as well', async () => {
    const { violation } = await searchWith(
      () => {
        idsOfOursAlone();
        jest.doMock(MODEL, () => ({
          ...jest.requireActual<typeof Model>(MODEL),
          hasTwoMovements: () => false,
          endRefusal: () => null,
        }));
      },
      { depth: 4, only: LOOKUPS },
    );
    expect(violation?.rule).toMatch(/although the movement id changed$/);
  });

  it('a reconciliation that asks about what was never sent, and look-ups that are read as a lost create', async () => {
    const { violation } = await searchWith(
      () =>
        jest.doMock(FACTS, () => {
          const actual = jest.requireActual<typeof Facts>(FACTS);
          return {
            ...actual,
            mayBeAtBank: () => true,
            factsOf: ((records) => {
              const facts = actual.factsOf(records);
              const isLost = records.polls > 0 && facts.sends.count === 0;
              return isLost ? { ...facts, sends: { ...facts.sends, count: 1, mayRepeat: false } } : facts;
            }) satisfies (typeof Facts)['factsOf'],
          };
        }),
      { depth: 3, only: [/^the run is lost$/, /^recovery/, /^another one's look-up: not found$/] },
    );
    expect(violation).toEqual({
      rule: 'a create is taken to have left, and none has',
      trace: [
        'the order is received',
        'the run is lost',
        "another one's look-up: not found",
        'recovery starts a run',
      ],
    });
  });

  it('a failover that loses a claim, and a retried create that believes the journal', async () => {
    const { violation } = await searchWith(
      () => jest.doMock(MODEL, () => ({ ...jest.requireActual<typeof Model>(MODEL), vouches: () => true })),
      { depth: 2 },
    );
    expect(violation?.rule).toBe('a create was repeated without twelve not-founds, or operators');
    expect(violation?.trace).toHaveLength(2);
  });

  it('a database that refuses what a run may repeat', async () => {
    const { violation } = await searchWith(
      () =>
        jest.doMock(MODEL, () => {
          const actual = jest.requireActual<typeof Model>(MODEL);
          return {
            ...actual,
            createRefusal: ((journal, nowMs) =>
              journal.requests.length > 1
                ? 'no'
                : actual.createRefusal(journal, nowMs)) satisfies (typeof Model)['createRefusal'],
          };
        }),
      { depth: 3, only: [/^the answer of the create is lost$/, /^twelve look-ups find nothing$/] },
    );
    expect(violation?.rule).toBe('the guard refuses a create: no');
  });

  it('a database that grants any number of creates', async () => {
    const { violation } = await searchWith(
      () =>
        jest.doMock(MODEL, () => ({ ...jest.requireActual<typeof Model>(MODEL), claimRefusal: () => null })),
      { depth: 2 },
    );
    expect(violation?.rule).toBe('the database would grant a create that the rules forbid');
  });
});
