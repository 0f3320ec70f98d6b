import type { MalformedName } from '../answers/malformed';
import type { Notify, NotifyMode } from './notify-schema';

/**
 * A scenario: what the bank does with matching orders. The first rule of the list that matches the first create of an
 * originId applies to that originId for ever. Without a match: {@link DEFAULT_STATES}, no faults. Rules are plain JSON
 * (`PUT /sandbox/rules`); docs/sandbox-bank.md shows them with examples.
 */
export interface SandboxRule {
  /** For the reader. */
  readonly name?: string;
  /** All criteria given must hold; absent: every order. */
  readonly match?: RuleMatch;
  /** The statuses that create, then each get-movement, report; the last one stays. */
  readonly states?: readonly string[];
  /** What happens to the first, second… create; after the end of the list: `ok`. */
  readonly create?: readonly (CreateFaultWord | FaultStep<CreateFaultWord>)[];
  /** What happens to the first, second… get-movement; a fault leaves the state unchanged. */
  readonly query?: readonly (QueryFaultWord | FaultStep<QueryFaultWord>)[];
  /** How a repeated originId is answered: the first movement's current state (default), or 409. */
  readonly duplicates?: 'original' | 'error';
  /** Fields of the answer that are wrong or missing. */
  readonly echo?: readonly EchoOverride[];
  /** Shape of `thisSubAccount.owners`, default `list`. */
  readonly owners?: 'list' | 'object';
  /** Movement id (digits) and network id instead of generated ones. */
  readonly id?: string;
  readonly networkId?: string;
  /** How notifications are sent, default `once`; none without a subscription. */
  readonly notify?: NotifyMode | (Partial<Notify> & { readonly mode?: NotifyMode });
}

export const DEFAULT_STATES = ['CREATED', 'IN_PROGRESS', 'COMPLETED'] as const;

export interface RuleMatch {
  /** Decimal text, compared by value. */
  readonly amount?: string;
  /** Source or destination account, 22 digits. */
  readonly account?: string;
  readonly from?: string;
  readonly to?: string;
  /** One originId, or an inclusive range. Text for ids above 2^53. */
  readonly originId?: number | string | { readonly min?: number | string; readonly max?: number | string };
  /** Exact text, or its beginning. */
  readonly description?: string | { readonly prefix: string };
}

type SharedFaultWord =
  /** No fault. */
  | 'ok'
  /** `ok`, answered after `delayMs`; takes effect on arrival. */
  | 'slow'
  /** The request is executed, then the connection is closed without an answer. */
  | 'lost-answer'
  /**
   * The request is held open without an answer and not executed, until the client disconnects or `holdMs` has passed.
   */
  | 'timeout-before'
  /** TCP reset, nothing executed. */
  | 'reset'
  /** Any HTTP status of 200–599; not executed unless `taken`. */
  | `http-${number}`
  /** HTTP 200 with a body that is not a readable Movement; the order is taken unless `taken: false`. */
  | `malformed:${MalformedName}`;

export type CreateFaultWord =
  | SharedFaultWord
  /** The order is taken, but never answered. */
  | 'timeout-after'
  /** 409 DUPLICATE_ORIGIN_ID, whether or not the originId is known. */
  | 'duplicate-error';

/** Only `ok` and `slow` advance the state. */
type QueryFaultWord = SharedFaultWord | 'not-found';

interface FaultStep<Word extends string> {
  readonly fault: Word;
  /** How many requests in a row, default 1; `always` in the last step of a list only. */
  readonly times?: number | 'always';
  /** For a create with `http-*`, `duplicate-error` or `malformed:*`: whether the order is taken nevertheless. */
  readonly taken?: boolean;
  /** Wait before answering or breaking off, in milliseconds. */
  readonly delayMs?: number;
  /** Longest time of a held request, default 120,000 ms. */
  readonly holdMs?: number;
  /** For `http-*`: `code` of the body, the body itself (any JSON), and further headers. */
  readonly code?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface EchoOverride {
  /** Dotted path in the Movement → any JSON value, e.g. `{"details.amount": 1.00}`; null writes null. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Dotted paths to leave out, e.g. `["details"]`. */
  readonly omit?: readonly string[];
  /** Answers with a movement are counted per originId from 1, creates included; the range is inclusive. */
  readonly from?: number;
  readonly until?: number;
}

/**
 * What the bank does with matching verification requests; `kind` distinguishes these rules from the others. The first
 * rule that matches the first query of a requestId applies to that requestId for ever. Without a match: {@link
 * DEFAULT_STATUSES}, no faults.
 */
export interface VerificationRule {
  readonly kind: 'verification';
  /** For the reader. */
  readonly name?: string;
  /** Exact requestId, or its beginning; absent: every one. */
  readonly match?: { readonly requestId?: string | { readonly prefix: string } };
  /** The statuses that answered queries report; the last one stays. Any text. */
  readonly statuses?: readonly string[];
  /** What happens to the first, second… query; after the end of the list: `ok`. A fault leaves the status unchanged. */
  readonly query?: readonly (QueryFaultWord | FaultStep<QueryFaultWord>)[];
  /** Whom the request is about, default `legal`: a company with an owner and a controller. */
  readonly person?: 'natural' | 'legal';
  /** Fields of the answer that are wrong or missing. */
  readonly echo?: readonly EchoOverride[];
}

export const DEFAULT_STATUSES = ['Pendiente', 'Pendiente', 'Aprobado'] as const;
