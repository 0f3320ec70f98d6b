import { z } from 'zod';
import { JSON_TYPE, outcome, respond } from '../answers/answer';
import type { Outcome } from '../answers/answer';
import { faultAnswer, notFound } from '../answers/fault-answer';
import { movementJson } from '../answers/movement-json';
import type { Book, MovementKeys, Dossier } from '../book/book';
import { currentStatus } from '../book/movement';
import type { BankMovement } from '../book/movement';
import { field, literalText, literal, writeJson } from '../json';
import { originIdIn, originIdLiteral } from '../order';
import type { Party } from '../order';
import { invalidBody } from './service';
import type { BankService } from './service';
import { movementOutcome } from './transfer-request';

const PATH = '/v2/apibank/movements/get-movement';

/** The reference does not fix the type of debinId: text or integer. */
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
  return { ...outcome(word, answer), delayMs, movementStatus: currentStatus(movement) };
}

function networkKeys(body: unknown): MovementKeys {
  const text = (name: string) => {
    const value = field(body, name);
    return typeof value === 'string' ? value : undefined;
  };
  return { networkId: text('networkId'), debinId: text('debinId') };
}

/** Modelled on what networks send: other names, other nesting, local time without a zone. */
function rawJson(movement: BankMovement): string {
  const { order } = movement;
  const status = currentStatus(movement);
  return writeJson({
    respuesta: { codigo: NETWORK_CODES[status] ?? '99', descripcion: status },
    operacion: {
      id: movement.networkId,
      idDebin: movement.debinId,
      tipo: 'TRANSFERENCIA',
      concepto: order.body.concept,
      detalle: order.body.description,
      fechaNegocio: localTime(movement.createdAt).slice(0, 10),
      fechaHoraEjecucion: localTime(movement.createdAt),
      importe: { moneda: order.body.currencyId, importe: literal(order.body.amount) },
    },
    debito: account(order.from),
    credito: account(order.to),
    origenTrx: { idOrigen: order.originId },
  });
}

const NETWORK_CODES: Readonly<Record<string, string>> = {
  CREATED: '01',
  IN_PROGRESS: '02',
  DELAYED: '03',
  COMPLETED: '00',
  FAILED: '55',
};

const account = ({ address, owner }: Party) => ({
  cuit: owner.personId,
  banco: address.slice(0, 3),
  cuenta: { cbu: address },
});

const ARGENTINA_OFFSET_MS = -3 * 3_600_000;

function localTime(iso: string): string {
  return new Date(Date.parse(iso) + ARGENTINA_OFFSET_MS).toISOString().replace('Z', '');
}
