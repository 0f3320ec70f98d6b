import { z } from 'zod';
import type { VerificationDialect } from '../../../../../src/bank/dialect';
import { isJsonObject, scalarText } from '../../../../../src/bank/http/json';
import { readLocalTime } from '../local-time';

const consulta = z.custom(isJsonObject).pipe(
  z.object({
    solicitud: z.unknown().transform(scalarText),
    situacion: z.string(),
    desde: z.string(),
  }),
);

/** Its statuses mean what `KYC_STATUS_MAP` says, as with any bank. It reports nothing about the persons. */
export const verifications: VerificationDialect = {
  query: (requestId) => ({
    ...{ method: 'POST', path: '/api/v1/identidades/consulta', query: '' },
    body: JSON.stringify({ solicitud: requestId }),
  }),
  readVerification(json) {
    const parsed = consulta.safeParse(json);
    if (!parsed.success) return null;
    const { solicitud, situacion, desde } = parsed.data;
    return {
      requestId: solicitud,
      status: situacion,
      statusDate: { raw: desde, at: readLocalTime(desde) },
      ...{ requestedDate: null, requesterPerson: null, requestedPerson: null, account: null, url: null },
    };
  },
};
