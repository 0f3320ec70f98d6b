import type { TlsMaterial, TlsSource } from '../bank/credentials/tls-material';
import { certificatesIn, chainEndMs } from '../config/bank-tls';
import type { Logger } from '../telemetry/logger';
import type { BankMetrics } from '../telemetry/metrics/bank-metrics';

const VARIABLES = { client: 'BANK_CLIENT_CERT_FILE', authority: 'BANK_CA_FILE' } as const;
type Certificate = keyof typeof VARIABLES;

const LOOK_EVERY_MS = 60_000;
const DAY_MS = 86_400_000;
/** Logged when one of these is reached, and once a day after the first. */
const WARN_AT_DAYS = [30, 7, 1, 0];

export interface CertificateWatchOptions {
  readonly tls: TlsSource;
  readonly logger: Logger;
  readonly metrics: BankMetrics;
}

/**
 * Shows when our certificates expire, in a gauge and in log lines. A line comes 30, 7 and 1 days before the end, at the
 * end, and once a day from the first line on. Re-read certificates count from the next check on.
 */
export function watchCertificates(options: CertificateWatchOptions): { close(): void } {
  const { tls, logger, metrics } = options;
  let material: TlsMaterial | null = null;
  let ends: ReadonlyMap<Certificate, number> = new Map();
  const warned = new Map<Certificate, { readonly step: number; readonly atMs: number }>();

  const look = (): void => {
    if (tls() !== material) {
      material = tls();
      ends = endsOf(material);
      warned.clear();
      metrics.certificateExpiry.reset();
      for (const [certificate, endMs] of ends) metrics.certificateExpiry.set({ certificate }, endMs / 1_000);
    }
    for (const [certificate, endMs] of ends) tell(certificate, endMs, Date.now());
  };

  function tell(certificate: Certificate, endMs: number, atMs: number): void {
    const daysLeft = (endMs - atMs) / DAY_MS;
    const step = WARN_AT_DAYS.filter((days) => daysLeft <= days).length;
    const last = warned.get(certificate);
    if (step === 0 || (last?.step === step && atMs - last.atMs < DAY_MS)) return;
    warned.set(certificate, { step, atMs });
    const fields = {
      variable: VARIABLES[certificate],
      expiresAt: new Date(endMs).toISOString(),
      daysLeft: Math.max(Math.floor(daysLeft), 0),
    };
    if (daysLeft <= 0) logger.error(fields, 'a certificate has expired: the bank can refuse every call');
    else if (daysLeft <= 1) logger.error(fields, 'a certificate expires within a day');
    else logger.warn(fields, 'a certificate expires soon');
  }

  look();
  const timer = setInterval(look, LOOK_EVERY_MS);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

/**
 * For our own chain, the earliest date, since a bank can refuse the chain because of any part. For a bundle of
 * authorities, the latest date, since one valid authority may be enough for the bank.
 */
function endsOf({ client, caPem }: TlsMaterial): ReadonlyMap<Certificate, number> {
  const ends = new Map<Certificate, number>();
  const own = client === null ? null : chainEndMs(client.certPem);
  if (own !== null) ends.set('client', own);
  const authorities = caPem === null ? [] : (certificatesIn(caPem) ?? []);
  if (authorities.length > 0)
    ends.set('authority', Math.max(...authorities.map(({ validTo }) => Date.parse(validTo))));
  return ends;
}
