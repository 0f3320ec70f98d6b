import { isLosslessNumber } from 'lossless-json';
import { z } from 'zod';
import { isJsonObject } from '../../../../../src/bank/http/json';
import { formatAmount } from '../../../../../src/domain/money';
import type { Movement, MovementStatus } from '../../../../../src/domain/movement';
import { readLocalTime } from '../local-time';

const STATUSES: ReadonlyMap<string, MovementStatus> = new Map([
  ['RECIBIDA', 'CREATED'],
  ['EN_CURSO', 'IN_PROGRESS'],
  ['DEMORADA', 'DELAYED'],
  ['LIQUIDADA', 'COMPLETED'],
  ['RECHAZADA', 'FAILED'],
]);

/** Digits of a JSON number; anything else where an id or an amount belongs makes the answer no Movement. */
const digits = z
  .unknown()
  .refine((value) => isLosslessNumber(value) && /^[0-9]+$/.test(value.value))
  .transform(String);
const absent = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null);
const object = <Shape extends z.ZodRawShape>(shape: Shape) => z.custom(isJsonObject).pipe(z.object(shape));
const time = absent(z.string()).transform((text) => (text === null ? null : readLocalTime(text)));
const holder = object({ cuit: digits });

const transferencia = object({
  numero: absent(digits),
  // A new status passes unchanged: it flags the transfer.
  estado: z.string().transform((word) => STATUSES.get(word) ?? word),
  operacion: absent(
    object({
      clave: absent(digits),
      clase: absent(z.string()),
      centavos: absent(digits),
      divisa: absent(z.string()),
      red: absent(z.string()),
      codigo_red: absent(z.string()),
      alta: time,
      cierre: time,
    }),
  ),
  destino: absent(object({ cuenta: absent(z.string()), cuit: absent(digits) })),
  origen: absent(object({ cuenta: absent(z.string()), titulares: z.array(holder) })),
});

export function readMovement(json: unknown): Movement | null {
  const parsed = transferencia.safeParse(json);
  if (!parsed.success) return null;
  const { numero, estado, operacion, destino, origen } = parsed.data;
  return {
    id: numero,
    status: estado,
    hasDetails: operacion !== null,
    type: operacion?.clase ?? null,
    originId: operacion?.clave ?? null,
    amount: operacion?.centavos == null ? null : formatAmount(BigInt(operacion.centavos)),
    currency: operacion?.divisa === 'ARS' ? '032' : (operacion?.divisa ?? null),
    network: operacion?.red ?? null,
    networkId: operacion?.codigo_red ?? null,
    postingAt: operacion?.alta ?? null,
    completedAt: operacion?.cierre ?? null,
    destination: { address: destino?.cuenta ?? null, personIds: destino?.cuit == null ? [] : [destino.cuit] },
    source: { address: origen?.cuenta ?? null, personIds: (origen?.titulares ?? []).map(({ cuit }) => cuit) },
  };
}
