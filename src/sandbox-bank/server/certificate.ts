import type { generate } from 'selfsigned';

export interface IssuedCertificate {
  readonly keyPem: string;
  readonly certPem: string;
  /** Certificate of the signing CA. */
  readonly caPem: string;
}

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

const validity = () => ({
  keyType: 'ec' as const,
  algorithm: 'sha256' as const,
  // Clocks of containers may be slightly behind.
  notBeforeDate: new Date(Date.now() - HOUR_MS),
  notAfterDate: new Date(Date.now() + YEAR_MS),
});

/**
 * Loaded only when the first certificate is made: the package is large, and a supplied certificate does not need it.
 */
const selfsigned = () => import('selfsigned');

const authority = async (name: string) =>
  (await selfsigned()).generate([{ name: 'commonName', value: name }], {
    ...validity(),
    extensions: [
      { name: 'basicConstraints', cA: true, pathLenConstraint: 0, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });

/**
 * A certificate for this machine's loopback names and `dnsNames`, and a CA for this certificate alone; P-256, valid for
 * a year.
 */
export async function makeCertificate(dnsNames: readonly string[]): Promise<IssuedCertificate> {
  const ca = await authority('Giro sandbox bank CA');
  const server = await (
    await selfsigned()
  ).generate([{ name: 'commonName', value: 'localhost' }], {
    ...validity(),
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
  return issued(ca, server);
}

/** A certificate for a client of the sandbox bank, and a CA for this certificate alone; P-256, valid for a year. */
export async function makeClientCertificate(): Promise<IssuedCertificate> {
  const ca = await authority('Giro sandbox client CA');
  const client = await (
    await selfsigned()
  ).generate([{ name: 'commonName', value: 'giro' }], {
    ...validity(),
    ca: { key: ca.private, cert: ca.cert },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', clientAuth: true },
    ],
  });
  return issued(ca, client);
}

type Generated = Awaited<ReturnType<typeof generate>>;

/** Each ends with a line feed, so that files can be concatenated. */
function issued(ca: Generated, { private: key, cert }: Generated): IssuedCertificate {
  const [keyPem, certPem, caPem] = [key, cert, ca.cert].map((pem) => `${pem.trimEnd()}\n`) as [
    string,
    string,
    string,
  ];
  return { keyPem, certPem, caPem };
}
