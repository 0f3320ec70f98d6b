import { writeJson } from '../json';
import type { Fault } from '../rules/fault-schema';
import type { Answer } from './answer';
import { JSON_TYPE, respond, respondError } from './answer';
import { malformedAnswer } from './malformed';

const ERROR_CODES: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  422: 'UNPROCESSABLE',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_ERROR',
  502: 'BAD_GATEWAY',
  503: 'NETWORK_NOT_AVAILABLE',
  504: 'GATEWAY_TIMEOUT',
};

/** Statuses whose answers have no body. */
const BODILESS = [204, 205, 304];

/** The answer that a fault stands for. `movementJson`: the Movement that a broken body is made from. */
export function faultAnswer(
  fault: Exclude<Fault, { readonly kind: 'ok' }>,
  path: string,
  movementJson: () => string,
): Answer {
  switch (fault.kind) {
    case 'not-found':
      return notFound();
    case 'duplicate-error':
      return duplicateError();
    case 'http':
      return httpAnswer(fault, path);
    case 'malformed':
      return malformedAnswer(fault.name, movementJson());
    case 'close':
    case 'reset':
      return { kind: fault.kind };
    case 'hold':
      return { kind: 'hold', holdMs: fault.holdMs };
  }
}

export const notFound = (): Answer =>
  respondError(404, 'MOVEMENT_NOT_FOUND', 'No movement with this identifier');

export const duplicateError = (): Answer =>
  respondError(409, 'DUPLICATE_ORIGIN_ID', 'The originId was used before');

function httpAnswer(fault: Extract<Fault, { readonly kind: 'http' }>, path: string): Answer {
  const { httpStatus } = fault;
  // A redirect points back to the same service: a client that follows one shows up as a second request.
  const location = httpStatus >= 300 && httpStatus < 400 ? { location: path } : {};
  const headers = { ...location, ...fault.headers };
  if (BODILESS.includes(httpStatus)) return respond(httpStatus, JSON_TYPE, '', headers);
  const code = fault.code ?? ERROR_CODES[httpStatus] ?? `HTTP_${httpStatus}`;
  const body =
    fault.body === undefined ? { code, message: `Answer ${httpStatus} of a sandbox rule` } : fault.body;
  return respond(httpStatus, JSON_TYPE, writeJson(body), headers);
}
