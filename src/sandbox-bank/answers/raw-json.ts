import type { BankMovement } from '../book/movement';
import { currentStatus } from '../book/movement';
import { literal, writeJson } from '../json';
import type { Party } from '../order';

/** Made up after what networks send: other names, other nesting, local time without a zone. */
export function rawJson(movement: BankMovement): string {
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
