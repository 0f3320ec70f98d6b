import { z } from 'zod';
import type { BankOrder } from '../order';
import { count } from './count';
import type { Step } from './fault-schema';
import { OK_STEP, stepList } from './fault-schema';
import type { OrderTest } from './match-schema';
import { matchSchema } from './match-schema';
import { DEFAULT_STATES } from './rule';

/** A rule with its defaults filled in: what the bank does with one originId. */
export interface Behaviour {
  readonly states: readonly string[];
  readonly create: readonly Step[];
  readonly query: readonly Step[];
  readonly duplicates: 'original' | 'error';
  readonly echo: readonly Echo[];
  readonly owners: 'list' | 'object';
  readonly id: string | null;
  readonly networkId: string | null;
}

export interface Echo {
  readonly set: readonly (readonly [path: readonly string[], value: unknown])[];
  readonly omit: readonly (readonly string[])[];
  readonly from: number;
  readonly until: number;
}

export interface RuleProblem {
  /** Where, e.g. `[2].create[0].fault`. */
  readonly path: string;
  readonly problem: string;
}

/** The rules are refused as a whole; `problems` names everything that is wrong with them. */
export class SandboxRulesInvalid extends Error {
  override readonly name = 'SandboxRulesInvalid';
  constructor(readonly problems: readonly RuleProblem[]) {
    super(`sandbox rules: ${problems.map(({ path, problem }) => `${path}: ${problem}`).join('; ')}`);
  }
}

const paths = (text: string) => text.split('.');
const dotted = z.string().regex(/^[A-Za-z]+(\.[A-Za-z]+)*$/, 'must be a dotted path, e.g. "details.amount"');
const NEVER_ENDS = Number.MAX_SAFE_INTEGER;

const echoSchema = z
  .strictObject({
    set: z.record(dotted, z.unknown()).default({}),
    omit: z.array(dotted).default([]),
    from: count(1, NEVER_ENDS).default(1),
    until: count(1, NEVER_ENDS).default(NEVER_ENDS),
  })
  .refine(({ set, omit }) => Object.keys(set).length + omit.length > 0, 'must set or omit at least one field')
  .refine(({ from, until }) => from <= until, 'from is above until')
  .transform(({ set, omit, from, until }): Echo => {
    return {
      set: Object.entries(set).map(([path, value]) => [paths(path), value] as const),
      omit: omit.map(paths),
      from,
      until,
    };
  });

const stateList = z.array(z.string().min(1).max(100)).min(1, 'must name at least one status').max(100);

const ruleSchema = z
  .strictObject({
    name: z.string().optional(),
    match: matchSchema.optional(),
    states: stateList.default([...DEFAULT_STATES]),
    create: stepList('create').default([OK_STEP]),
    query: stepList('query').default([OK_STEP]),
    duplicates: z.enum(['original', 'error']).default('original'),
    echo: z.array(echoSchema).default([]),
    owners: z.enum(['list', 'object']).default('list'),
    id: z
      .string()
      .regex(/^[0-9]+$/, 'must be digits')
      .nullable()
      .default(null),
    networkId: z.string().min(1).max(64).nullable().default(null),
  })
  .transform(({ match, name: _name, ...behaviour }) => ({
    match: match ?? ((): boolean => true),
    behaviour,
  }));

const rulesSchema = z.array(ruleSchema, 'must be an array of rules').max(1_000);

const DEFAULT_BEHAVIOUR: Behaviour = {
  states: DEFAULT_STATES,
  create: [],
  query: [],
  duplicates: 'original',
  echo: [],
  owners: 'list',
  id: null,
  networkId: null,
};

/** Rules that were checked, and the text they came from. */
export class RuleSet {
  private constructor(
    private readonly rules: readonly { readonly match: OrderTest; readonly behaviour: Behaviour }[],
    /** As given. */
    readonly source: unknown,
  ) {}

  /** Throws `SandboxRulesInvalid`. */
  static read(source: unknown): RuleSet {
    return new RuleSet(check(rulesSchema, source), source);
  }

  behaviourFor(order: BankOrder): Behaviour {
    return this.rules.find(({ match }) => match(order))?.behaviour ?? DEFAULT_BEHAVIOUR;
  }
}

/** A new sequence of states for a movement that exists. Throws `SandboxRulesInvalid`. */
export function readStates(source: unknown): readonly string[] {
  return check(z.strictObject({ states: stateList }), source).states;
}

/** The step for the given request, counted from 0; after the end of the list: `ok`. */
export function stepAt(steps: readonly Step[], index: number): Step {
  let left = index;
  for (const step of steps) {
    if (left < step.times) return step;
    left -= step.times;
  }
  return OK_STEP;
}

function check<Schema extends z.ZodType>(schema: Schema, source: unknown): z.output<Schema> {
  const parsed = schema.safeParse(source);
  if (parsed.success) return parsed.data;
  throw new SandboxRulesInvalid(
    parsed.error.issues.map(({ path, message }) => ({ path: pathText(path), problem: message })),
  );
}

export function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '(all)';
  return path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
}
