import type { MovementDialect } from '../../../../../src/bank/dialect';
import type { OrderParty, TransferOrder } from '../../../../../src/domain/order';
import { readMovement } from './read-movement';

const PATH = '/api/v1/transferencias';

export const movements: MovementDialect = {
  createBody,
  create: (body) => ({ method: 'POST', path: PATH, query: '', body }),
  lookUp(key, { raw }) {
    const query = new URLSearchParams(
      'originId' in key
        ? { clave: key.originId }
        : 'networkId' in key
          ? { codigo_red: key.networkId }
          : { debin: key.debinId },
    );
    if (raw) query.set('crudo', 'si');
    return { method: 'GET', path: PATH, query: query.toString(), body: null };
  },
  readMovement,
};

/** Tax ids are numbers here. Without its point, the amount, which always has two decimals, is a number of centavos. */
function createBody({ originId, from, to, body }: TransferOrder): string {
  const party = ({ address, owner }: OrderParty) => ({ cuenta: address, cuit: Number(owner.personId) });
  const centavos = body.amount.replace('.', '').replace(/^0+(?=\d)/, '');
  const rest = { divisa: 'ARS', motivo: body.concept, leyenda: body.description };
  const parties = { origen: party(from), destino: party(to) };
  return `{"clave":${originId},"centavos":${centavos},${JSON.stringify({ ...rest, ...parties }).slice(1)}`;
}
