import { z } from 'zod';
import type { Outcome } from '../answers/answer';
import { JSON_TYPE, outcome, respond } from '../answers/answer';
import { faultAnswer, notFound } from '../answers/fault-answer';
import { movementJson } from '../answers/movement-json';
import { rawJson } from '../answers/raw-json';
import type { Book, MovementKeys } from '../book/book';
import type { Dossier } from '../book/dossier';
import { currentStatus } from '../book/movement';
import { field, literalText } from '../json';
import { originIdIn, originIdLiteral } from '../order';
import { invalidBody } from './service';
import type { BankService } from './service';
import { movementOutcome } from './transfer-request';

const PATH = '/v2/apibank/movements/get-movement';

/** The reference leaves the type of debinId open: text or integer. */
const debinId = z.preprocess((value) => literalText(value) ?? value, z.string().min(1).max(64));

const querySchema = z
  .strictObject({
    originId: originIdLiteral.optional(),
    networkId: z.string().min(1).max(64).optional(),
    debinId: debinId.optional(),
    getRawData: z.boolean().default(false),
  })
  .refine(
    ({ originId, networkId, debinId }) => [originId, networkId, debinId].some((key) => key !== undefined),
    'one of originId, networkId, debinId is required',
  );

export function getMovementService(book: Book): BankService {
  return {
    name: 'get-movement',
    method: 'POST',
    path: PATH,
    signed: true,
    takesBody: true,
    originIdOf: (body) => originIdIn(body) ?? book.find(networkKeys(body))?.order.originId ?? null,
    answer(body) {
      const parsed = querySchema.safeParse(body);
      if (!parsed.success) return invalidBody(parsed.error);
      const { getRawData, ...keys } = parsed.data;
      const dossier = book.find(keys);
      return dossier === null ? outcome('not-found', notFound()) : query(book, dossier, getRawData);
    },
  };
}

function query(book: Book, dossier: Dossier, isRaw: boolean): Outcome {
  const { word, fault, delayMs } = dossier.nextQueryStep();
  const { movement } = dossier;
  if (fault.kind !== 'ok') {
    const json = () => movementJson(movement ?? book.draft(dossier), 1);
    return { ...outcome(word, faultAnswer(fault, PATH, json)), delayMs };
  }
  if (movement === null) return { ...outcome('not-found', notFound()), delayMs };
  book.advance(movement);
  if (!isRaw) return movementOutcome(word, movement, dossier, delayMs);
  const answer = respond(200, JSON_TYPE, rawJson(movement));
  return { answer, outcome: word, delayMs, movementStatus: currentStatus(movement) };
}

function networkKeys(body: unknown): MovementKeys {
  const text = (name: string) => {
    const value = field(body, name);
    return typeof value === 'string' ? value : undefined;
  };
  return { networkId: text('networkId'), debinId: text('debinId') };
}
