import { generate } from 'selfsigned';

export interface ServerCertificate {
  readonly keyPem: string;
  readonly certPem: string;
  /** Of the CA that signed it. */
  readonly caPem: string;
}

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

/** A certificate for this machine's loopback names and `dnsNames`, and a CA for it alone; P-256, a year. */
export async function makeCertificate(dnsNames: readonly string[]): Promise<ServerCertificate> {
  const now = Date.now();
  const common = {
    keyType: 'ec',
    algorithm: 'sha256',
    // Clocks of containers can be a little behind.
    notBeforeDate: new Date(now - HOUR_MS),
    notAfterDate: new Date(now + YEAR_MS),
  } as const;
  const ca = await generate([{ name: 'commonName', value: 'Giro sandbox bank CA' }], {
    ...common,
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const server = await generate([{ name: 'commonName', value: 'localhost' }], {
    ...common,
    ca: { key: ca.private, cert: ca.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          ...['localhost', ...dnsNames].map((value) => ({ type: 2 as const, value })),
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  return { keyPem: server.private, certPem: server.cert, caPem: ca.cert };
}
