import { writeJson } from '../json';

/** How the bank ends a connection after a request. */
export type Answer =
  | {
      readonly kind: 'respond';
      readonly httpStatus: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Buffer;
      /** Announced length, larger than `body`: the connection ends after the body. Null: a correct answer. */
      readonly declaredLength: number | null;
    }
  | { readonly kind: 'hold'; readonly holdMs: number }
  /** Closed without an answer. */
  | { readonly kind: 'close' }
  /** TCP reset. */
  | { readonly kind: 'reset' };

/** An answer and its entry in the books. */
export interface Outcome {
  readonly answer: Answer;
  readonly outcome: string;
  readonly delayMs: number;
  /** Status of the movement or verification in the answer; null: no status. */
  readonly movementStatus: string | null;
  /** Id of the movement in the answer, which a rule may have changed; null: no id. */
  readonly movementId: string | null;
}

export function respond(
  httpStatus: number,
  contentType: string,
  body: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    kind: 'respond',
    httpStatus,
    headers: { 'content-type': contentType, ...headers },
    body: Buffer.from(body),
    declaredLength: null,
  };
}

export const JSON_TYPE = 'application/json; charset=utf-8';

export const respondJson = (httpStatus: number, value: unknown): Answer =>
  respond(httpStatus, JSON_TYPE, writeJson(value));

export const respondError = (httpStatus: number, code: string, message: string): Answer =>
  respondJson(httpStatus, { code, message });

/** An answer without delay or movement. */
export const outcome = (word: string, answer: Answer): Outcome => ({
  answer,
  outcome: word,
  delayMs: 0,
  movementStatus: null,
  movementId: null,
});
