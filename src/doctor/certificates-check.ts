import { certificatesIn, chainEndMs } from '../config/bank-tls';
import type { BankConnection } from '../bank/connection';
import { well, wrong } from './finding';
import type { Check } from './finding';
import type { TlsProbe } from './tls-probe';

const DAY_MS = 86_400_000;
const SOON_MS = 30 * DAY_MS;

/** How long our client certificate, the authorities we trust and the bank's own certificate are still good. */
export const certificatesCheck = (
  { baseUrl, tls }: BankConnection,
  probe: () => Promise<TlsProbe>,
): Check => ({
  name: 'certificates',
  async run() {
    if (!baseUrl.tls) return well('none: plain HTTP');
    const { client, caPem } = tls();
    const ends: [string, number][] = [];
    const own = client === null ? null : chainEndMs(client.certPem);
    if (own !== null) ends.push(['BANK_CLIENT_CERT_FILE', own]);
    const authorities = caPem === null ? [] : (certificatesIn(caPem) ?? []);
    // While one of them is good the bank may be, too.
    if (authorities.length > 0)
      ends.push(['BANK_CA_FILE', Math.max(...authorities.map(({ validTo }) => Date.parse(validTo)))]);
    const seen = await probe();
    if (seen.kind === 'open' && seen.validTo !== '') ends.push(["the bank's own", Date.parse(seen.validTo)]);
    const told = ends.map(([what, atMs]) => `${what} until ${new Date(atMs).toISOString().slice(0, 10)}`);
    const soon = ends.filter(([, atMs]) => atMs - Date.now() < SOON_MS).map(([what]) => what);
    if (soon.length > 0)
      return wrong(
        `${told.join(', ')}: fewer than 30 days for ${soon.join(', ')}`,
        'renew, see docs/security.md',
      );
    return well(told.length === 0 ? 'the bank was not reached, and none of ours is set' : told.join(', '));
  },
});
