import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { PeerCertificate } from 'node:tls';
import type { BankConnection } from '../bank/connection';
import { tlsOptions } from '../bank/credentials/tls-material';
import type { TlsMaterial } from '../bank/credentials/tls-material';

export type TlsProbe =
  | { readonly kind: 'open'; readonly protocol: string; readonly validTo: string }
  /** `afterHandshake`: the bank closed an established connection before any request. */
  | { readonly kind: 'failed'; readonly code: string; readonly afterHandshake: boolean };

const TIMEOUT_MS = 7_000;
/** Under TLS 1.3 a bank refuses our certificate only after the handshake, within a round trip. */
const REFUSAL_WITHIN_MS = 1_500;

/**
 * Makes a TLS connection as the bank client does, sends nothing, and checks whether it stays open. A second call
 * returns the same probe.
 */
export function createProbe(
  { baseUrl, tls }: Pick<BankConnection, 'baseUrl' | 'tls'>,
  refusalWithinMs = REFUSAL_WITHIN_MS,
): () => Promise<TlsProbe> {
  let probe: Promise<TlsProbe> | null = null;
  return () => (probe ??= probeTls(baseUrl.origin, tls(), refusalWithinMs));
}

function probeTls(origin: string, material: TlsMaterial, refusalWithinMs: number): Promise<TlsProbe> {
  const url = new URL(origin);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    let certificate: PeerCertificate | null = null;
    let protocol = '';
    const end = (result: TlsProbe): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(result);
    };
    const failed = (code: string): void =>
      end({ kind: 'failed', code, afterHandshake: certificate !== null });
    const socket = connect({
      ...tlsOptions(material),
      host,
      port: Number(url.port === '' ? 443 : url.port),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ['http/1.1'],
    });
    let timer = setTimeout(() => failed('ETIMEDOUT'), TIMEOUT_MS);
    socket.on('error', (error: NodeJS.ErrnoException) => failed(error.code ?? error.name));
    socket.on('close', () => failed('ECONNRESET'));
    socket.once('secureConnect', () => {
      certificate = socket.getPeerCertificate();
      protocol = socket.getProtocol() ?? '';
      clearTimeout(timer);
      timer = setTimeout(
        () => end({ kind: 'open', protocol, validTo: certificate?.valid_to ?? '' }),
        refusalWithinMs,
      );
      // Only a reader notices a closed connection.
      socket.resume();
    });
  });
}
