import type { EchoOverride, FaultStep, QueryFaultWord } from './rule';

/**
 * What the bank does with the verification requests it matches; among the other rules, told apart by `kind`. The first
 * that matches the first query of a requestId drives it for good; without one: {@link DEFAULT_STATUSES}, no faults.
 */
export interface VerificationRule {
  readonly kind: 'verification';
  /** For the reader. */
  readonly name?: string;
  /** Exact requestId, or its beginning; absent: every one. */
  readonly match?: { readonly requestId?: string | { readonly prefix: string } };
  /** The status told by each query that is answered; the last one stays. Any word. */
  readonly statuses?: readonly string[];
  /** What happens to the first, second… query; after the end of the list: `ok`. A fault leaves the status where it is. */
  readonly query?: readonly (QueryFaultWord | FaultStep<QueryFaultWord>)[];
  /** Whom it is about, default `legal`: a company with an owner and a controller. */
  readonly person?: 'natural' | 'legal';
  /** Fields of the answer that are wrong or missing. */
  readonly echo?: readonly EchoOverride[];
}

export const DEFAULT_STATUSES = ['Pendiente', 'Pendiente', 'Aprobado'] as const;
