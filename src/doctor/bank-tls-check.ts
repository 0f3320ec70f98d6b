import type { BankConnection } from '../bank/connection';
import { well, wrong } from './check-result';
import type { Check, Judgement } from './check-result';
import type { TlsProbe } from './tls-probe';
import { certificatesIn, chainEndMs } from '../config/bank-tls';

/** The connection to the bank: name, connect, its certificate, ours. */
export const bankTlsCheck = ({ baseUrl, tls }: BankConnection, probe: () => Promise<TlsProbe>): Check => ({
  name: 'bank-tls',
  async run() {
    if (!baseUrl.tls) return well('plain HTTP, on loopback');
    return judgeProbe(await probe(), baseUrl.origin, tls().client !== null);
  },
});

const REACH: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'],
]);

/** Node's codes of a certificate that no trusted authority has signed. */
const UNTRUSTED =
  /^(?:UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO_SELF_SIGNED|CERT_SIGNATURE_FAILURE|INVALID_CA|CERT_UNTRUSTED)/;

function judgeProbe(probe: TlsProbe, origin: string, hasClient: boolean): Judgement {
  if (probe.kind === 'open') {
    return well(`${probe.protocol} to ${origin}${hasClient ? ', our certificate was not refused' : ''}`);
  }
  const { code, afterHandshake } = probe;
  if (REACH.has(code))
    return wrong(`${origin} cannot be reached (${code})`, 'check BANK_BASE_URL, the VPN and the firewall');
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return wrong("the bank's certificate bears another name", `check the host in BANK_BASE_URL (${origin})`);
  if (UNTRUSTED.test(code))
    return wrong(
      `the bank's certificate is of an authority that is not trusted (${code})`,
      "set BANK_CA_FILE to the bank's authority",
    );
  if (code === 'CERT_HAS_EXPIRED')
    return wrong(
      "the bank's certificate has expired, or our clock is wrong",
      'tell the bank; check the clock',
    );
  if (afterHandshake || /ALERT|HANDSHAKE_FAILURE|ECONNRESET|EPIPE/.test(code)) {
    return hasClient
      ? wrong(
          `the bank ended the TLS connection (${code}): it does not take our certificate`,
          'have the bank register the certificate of BANK_CLIENT_CERT_FILE, with its chain',
        )
      : wrong(
          `the bank ended the TLS connection (${code}): it wants a client certificate`,
          'set BANK_CLIENT_CERT_FILE and BANK_CLIENT_KEY_FILE',
        );
  }
  return wrong(`TLS to ${origin} failed (${code})`, 'check BANK_BASE_URL and BANK_CA_FILE');
}

const DAY_MS = 86_400_000;
const SOON_MS = 30 * DAY_MS;

/** How long our client certificate, the authorities that we trust and the bank's certificate are still valid. */
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
    // One valid authority may be enough for the bank.
    if (authorities.length > 0)
      ends.push(['BANK_CA_FILE', Math.max(...authorities.map(({ validTo }) => Date.parse(validTo)))]);
    const seen = await probe();
    if (seen.kind === 'open' && seen.validTo !== '') ends.push(["the bank's own", Date.parse(seen.validTo)]);
    const listed = ends.map(([what, atMs]) => `${what} until ${new Date(atMs).toISOString().slice(0, 10)}`);
    const soon = ends.filter(([, atMs]) => atMs - Date.now() < SOON_MS).map(([what]) => what);
    if (soon.length > 0)
      return wrong(
        `${listed.join(', ')}: fewer than 30 days for ${soon.join(', ')}`,
        'renew, see docs/security.md',
      );
    if (seen.kind === 'failed')
      return wrong([...listed, "the bank's own was not seen"].join(', '), 'fix bank-tls first');
    return well(listed.join(', '));
  },
});
