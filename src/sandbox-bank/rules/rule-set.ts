import { z } from 'zod';
import type { BankOrder } from '../order';
import { echoSchema } from './echo';
import type { Echo } from './echo';
import type { Step } from './fault-schema';
import { OK_STEP, stepList } from './fault-schema';
import type { OrderTest } from './match-schema';
import { matchSchema } from './match-schema';
import { DEFAULT_NOTIFY, notifySchema } from './notify-schema';
import type { Notify } from './notify-schema';
import { DEFAULT_STATES } from './rule';
import { stateList } from './field-schemas';
import { DEFAULT_VERIFICATION, verificationRuleSchema } from './verification-rule-schema';
import type { VerificationBehaviour, VerificationTest } from './verification-rule-schema';

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
  readonly notify: Notify;
}

export interface RuleProblem {
  /** Where, e.g. `[2].create[0].fault`. */
  readonly path: string;
  readonly problem: string;
}

/** All rules are refused; `problems` names everything that is wrong with them. */
export class SandboxRulesInvalid extends Error {
  override readonly name = 'SandboxRulesInvalid';
  constructor(readonly problems: readonly RuleProblem[]) {
    super(`sandbox rules: ${problems.map(({ path, problem }) => `${path}: ${problem}`).join('; ')}`);
  }
}

const transferRuleSchema = z
  .strictObject({
    kind: z.literal('transfer'),
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
    notify: notifySchema.default(DEFAULT_NOTIFY),
  })
  .transform(({ kind, match, name: _name, ...behaviour }) => ({
    kind,
    match: match ?? ((): boolean => true),
    behaviour,
  }));

/** A rule without a kind is for transfers. */
const ruleSchema = z.preprocess(
  (input) =>
    typeof input === 'object' && input !== null && !('kind' in input)
      ? { ...input, kind: 'transfer' }
      : input,
  z.discriminatedUnion(
    'kind',
    [transferRuleSchema, verificationRuleSchema],
    'must be transfer or verification',
  ),
);

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
  notify: DEFAULT_NOTIFY,
};

type Rule =
  | { readonly kind: 'transfer'; readonly match: OrderTest; readonly behaviour: Behaviour }
  | {
      readonly kind: 'verification';
      readonly match: VerificationTest;
      readonly behaviour: VerificationBehaviour;
    };

/** Checked rules, and their source text. */
export class RuleSet {
  private constructor(
    private readonly rules: readonly Rule[],
    /** As given. */
    readonly source: unknown,
  ) {}

  /** Throws `SandboxRulesInvalid`. */
  static read(source: unknown): RuleSet {
    return new RuleSet(check(rulesSchema, source), source);
  }

  behaviourFor(order: BankOrder): Behaviour {
    for (const rule of this.rules) if (rule.kind === 'transfer' && rule.match(order)) return rule.behaviour;
    return DEFAULT_BEHAVIOUR;
  }

  verificationFor(requestId: string): VerificationBehaviour {
    for (const rule of this.rules) {
      if (rule.kind === 'verification' && rule.match(requestId)) return rule.behaviour;
    }
    return DEFAULT_VERIFICATION;
  }
}

/** A new sequence of statuses for a verification that exists. Throws `SandboxRulesInvalid`. */
export function readStatuses(source: unknown): readonly string[] {
  return check(z.strictObject({ statuses: stateList }), source).statuses;
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
