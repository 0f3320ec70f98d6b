import { Readable } from 'node:stream';
import type { StatementLine } from '../../../src/reconciliation/books';
import { readMapping } from '../../../src/reconciliation/statement/mapping';
import type { StatementMapping } from '../../../src/reconciliation/statement/mapping';
import { readStatement } from '../../../src/reconciliation/statement/read-statement';

/** The usual export format of Argentine banks: semicolons, decimal comma, two columns of amounts, latin1. */
export const ARGENTINE = {
  encoding: 'latin1',
  delimiter: ';',
  columns: {
    originId: 'Referencia',
    movementId: 'Nº Movimiento',
    bookedAt: 'Fecha',
    debit: 'Débito',
    credit: 'Crédito',
    counterpartyAccount: 'CBU destino',
  },
  originIdPrefix: 'OP-',
  decimal: ',',
  thousands: '.',
  date: 'dd/MM/yyyy HH:mm',
};
export const HEADER = 'Fecha;Referencia;Nº Movimiento;Concepto;Débito;Crédito;CBU destino';

export function mappingOf(json: object): StatementMapping {
  const read = readMapping(JSON.stringify(json));
  if (!read.ok) throw new Error(read.problems.join('; '));
  return read.mapping;
}

export async function readText(text: string | Buffer, mapping: object, chunkBytes = 7) {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, i) =>
    bytes.subarray(i * chunkBytes, (i + 1) * chunkBytes),
  );
  const bookings: StatementLine[] = [];
  const summary = await readStatement(Readable.from(chunks), mappingOf(mapping), (batch) => {
    bookings.push(...batch);
    return Promise.resolve();
  });
  return { bookings, summary };
}
