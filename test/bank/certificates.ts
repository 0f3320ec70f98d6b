import { generate } from 'selfsigned';

export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const EC = { keyType: 'ec', algorithm: 'sha256' } as const;

/** A certificate authority for tests; its keys stay in memory. */
export async function makeAuthority(name: string): Promise<KeyPair> {
  const made = await generate([{ name: 'commonName', value: name }], {
    ...EC,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, digitalSignature: true },
    ],
  });
  return { cert: made.cert, key: made.private };
}

/** A server's certificate by `ca` for 127.0.0.1, or for another name. */
export async function makeServerCertificate(ca: KeyPair, host: 'loopback' | 'elsewhere'): Promise<KeyPair> {
  const made = await generate([{ name: 'commonName', value: 'bank' }], {
    ...EC,
    ca,
    extensions: [
      { name: 'basicConstraints', cA: false },
      {
        name: 'subjectAltName',
        altNames:
          host === 'loopback' ? [{ type: 7, ip: '127.0.0.1' }] : [{ type: 2, value: 'elsewhere.test' }],
      },
    ],
  });
  return { cert: made.cert, key: made.private };
}
