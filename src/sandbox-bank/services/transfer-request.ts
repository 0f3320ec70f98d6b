import type { Outcome } from '../answers/answer';
import { JSON_TYPE, outcome, respond } from '../answers/answer';
import { duplicateError, faultAnswer } from '../answers/fault-answer';
import { movementJson } from '../answers/movement-json';
import type { Book, Dossier } from '../book/book';
import type { BankMovement } from '../book/movement';
import { currentStatus } from '../book/movement';
import { field, literalText, readJson } from '../json';
import type { BankOrder } from '../order';
import { orderSchema, originIdIn } from '../order';
import type { Behaviour } from '../rules/rule-set';
import { invalidBody } from './service';
import type { BankService } from './service';

const PATH = '/v2/apibank/movements/transfer-request';

const EARLY_MS = 1_000;

export function transferRequestService(book: Book, choose: (order: BankOrder) => Behaviour): BankService {
  return {
    name: 'transfer-request',
    method: 'POST',
    path: PATH,
    signed: true,
    takesBody: true,
    originIdOf: originIdIn,
    answer(body) {
      const parsed = orderSchema.safeParse(body);
      if (!parsed.success) return invalidBody(parsed.error);
      return create(book, book.dossierFor(parsed.data, choose));
    },
  };
}

function create(book: Book, dossier: Dossier): Outcome {
  const isRepeat = dossier.movement !== null;
  const step = dossier.nextCreateStep();
  const { fault } = step;
  // The notification is already being sent: give it time to arrive first.
  const isEarly = dossier.behaviour.notify.mode === 'early' && !isRepeat;
  const delayMs = isEarly ? Math.max(step.delayMs, EARLY_MS) : step.delayMs;
  const movement = step.taken ? book.take(dossier) : dossier.movement;
  if (fault.kind !== 'ok') {
    const json = () => movementJson(movement ?? book.draft(dossier), 1);
    return { ...outcome(step.word, faultAnswer(fault, PATH, json)), delayMs };
  }
  if (isRepeat && dossier.behaviour.duplicates === 'error')
    return { ...outcome('duplicate-error', duplicateError()), delayMs };
  return movementOutcome(isRepeat ? 'duplicate-original' : step.word, book.take(dossier), dossier, delayMs);
}

/** HTTP 200 with the movement in its current state. */
export function movementOutcome(
  word: string,
  movement: BankMovement,
  dossier: Dossier,
  delayMs: number,
): Outcome {
  const json = movementJson(movement, dossier.nextAnswerNumber());
  const id = field(readJson(json), 'id');
  return {
    ...outcome(word, respond(200, JSON_TYPE, json)),
    ...{ delayMs, movementStatus: currentStatus(movement) },
    movementId: typeof id === 'string' ? id : literalText(id),
  };
}
