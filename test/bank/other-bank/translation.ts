import { LosslessNumber, isLosslessNumber, parse, stringify } from 'lossless-json';
import { CREATE, QUERY } from '../../sandbox-bank/client';

/**
 * Translates between the wire formats of the made-up bank and the sandbox bank. Uses no dialect, so that both sides
 * cannot share a mistake.
 */

type Json = Readonly<Record<string, unknown>>;
type Service = 'movement' | 'raw' | 'verification' | 'webhooks' | 'unsubscribe';

export interface SandboxRequest {
  readonly service: Service;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string | null;
}

const VERIFICATION = '/external/kyc-kyb/api-get-identity-verification-request';

/** Null: no service of the made-up bank. */
export function requestForSandbox(
  method: string,
  { pathname, searchParams }: URL,
  text: string,
): SandboxRequest | null {
  const body = () => parse(text) as Json;
  switch (`${method} ${pathname}`) {
    case 'POST /api/v1/transferencias':
      return { service: 'movement', method: 'POST', path: CREATE, body: write(sandboxOrder(body())) };
    case 'GET /api/v1/transferencias': {
      const [clave, networkId, debinId] = ['clave', 'codigo_red', 'debin'].map((name) =>
        searchParams.get(name),
      );
      const isRaw = searchParams.get('crudo') === 'si';
      const key =
        clave != null
          ? { originId: new LosslessNumber(clave) }
          : networkId != null
            ? { networkId }
            : { debinId };
      const asked = write({ ...key, ...(isRaw ? { getRawData: true } : {}) });
      return { service: isRaw ? 'raw' : 'movement', method: 'POST', path: QUERY, body: asked };
    }
    case 'POST /api/v1/identidades/consulta': {
      const path = `${VERIFICATION}?requestId=${encodeURIComponent(String(body()['solicitud']))}`;
      return { service: 'verification', method: 'GET', path, body: null };
    }
    case 'GET /api/v1/avisos':
      return { service: 'webhooks', method: 'GET', path: '/external/api/get-webhooks', body: null };
    case 'POST /api/v1/avisos/baja': {
      const asked = write({ notificationType: body()['tipo'] });
      return {
        service: 'unsubscribe',
        method: 'POST',
        path: '/external/api/webhooks-unsubscribe',
        body: asked,
      };
    }
    default:
      return null;
  }
}

/** An answer that is no success, or no JSON, passes unchanged. */
export function responseOfOtherBank(service: Service, status: number, text: string): string {
  const translate = TRANSLATED[service];
  if (status !== 200 || translate === null) return text;
  let json: unknown;
  try {
    json = parse(text);
  } catch {
    return text;
  }
  return write(translate(json as Json));
}

const TRANSLATED: Readonly<Record<Service, ((json: Json) => unknown) | null>> = {
  movement: transferencia,
  raw: null,
  verification: (json) => ({
    ...{ solicitud: json['requestId'], situacion: json['status'] },
    desde: localTime(`${String(json['statusDate']).slice(0, 19)}-03:00`),
  }),
  webhooks: (json) => ({
    avisos: (json as unknown as readonly Json[]).map(({ endpoint, eventType, info }) => ({
      ...{ tipo: eventType, url: endpoint, texto: info ?? null },
    })),
  }),
  unsubscribe: null,
};

function sandboxOrder({ clave, centavos, divisa, motivo, leyenda, origen, destino }: Json): Json {
  const party = ({ cuenta, cuit }: Json) => ({
    ...{ addressType: 'CBU_CVU', address: cuenta },
    owner: { personIdType: 'CUI', personId: String(cuit) },
  });
  const digits = String(centavos).padStart(3, '0');
  return {
    originId: clave,
    ...{ from: party(origen as Json), to: party(destino as Json) },
    body: {
      currencyId: divisa === 'ARS' ? '032' : divisa,
      amount: new LosslessNumber(`${digits.slice(0, -2)}.${digits.slice(-2)}`),
      ...{ description: leyenda, concept: motivo },
    },
  };
}

const ESTADOS: Json = {
  ...{ CREATED: 'RECIBIDA', IN_PROGRESS: 'EN_CURSO', DELAYED: 'DEMORADA' },
  ...{ COMPLETED: 'LIQUIDADA', FAILED: 'RECHAZADA' },
};

function transferencia({ id, status, counterparty, details, thisSubAccount }: Json): Json {
  return {
    numero: asNumber(id),
    estado: ESTADOS[String(status)] ?? status,
    operacion: mapped(details, (it) => ({
      ...{ clave: it['originId'], clase: it['type'], centavos: inCentavos(it['amount']) },
      divisa: it['amountCurrency'] === '032' ? 'ARS' : it['amountCurrency'],
      ...{ red: it['network'], codigo_red: it['networkId'] },
      ...{ alta: localTime(it['postingDatetime']), cierre: localTime(it['completedDatetime']) },
    })),
    destino: mapped(counterparty, (it) => ({
      ...{ cuenta: addressIn(it), cuit: asNumber(it['personId']) },
    })),
    origen: mapped(thisSubAccount, (it) => ({
      cuenta: addressIn(it),
      titulares: [it['owners']].flat().map((owner) => ({ cuit: asNumber((owner as Json)['personId']) })),
    })),
  };
}

const mapped = (value: unknown, map: (json: Json) => Json): Json | undefined =>
  value === undefined || value === null ? undefined : map(value as Json);

const addressIn = (json: Json): unknown => (json['accountRouting'] as Json | undefined)?.['address'];

const asNumber = (value: unknown): unknown => (typeof value === 'string' ? new LosslessNumber(value) : value);

/** `1500.25` is 150025, and the number 1 of a rule is 100. */
function inCentavos(value: unknown): unknown {
  const text = isLosslessNumber(value) ? value.value : value;
  if (typeof text !== 'string') return value;
  const [whole = '', decimals = ''] = text.split('.');
  return new LosslessNumber(`${whole}${decimals.padEnd(2, '0')}`.replace(/^0+(?=\d)/, ''));
}

/** Local time in Buenos Aires, which is three hours behind UTC all year. */
function localTime(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const [date = '', time = ''] = new Date(Date.parse(value) - 3 * 3_600_000).toISOString().split('T');
  return `${date.split('-').reverse().join('/')} ${time.slice(0, 8)}`;
}

const write = (value: unknown): string => stringify(value) ?? '';
