/** Certificates and keys of the connections to the bank. */
export interface TlsMaterial {
  /** PEM of the authorities to trust; null: those of Node.js. */
  readonly caPem: string | null;
  /** The client certificate and its key; null: none. */
  readonly client: {
    /** Our certificate first, then its chain. */
    readonly certPem: string;
    readonly keyPem: string;
    readonly passphrase: string | null;
  } | null;
}

/** Called before each call; returns the same object while nothing has changed. */
export type TlsSource = () => TlsMaterial;

/**
 * Options of a TLS connection. Sets the least version and the check of the bank's certificate, which environment
 * variables and flags of Node.js could loosen. The list of ciphers stays that of Node.js (`--tls-cipher-list`).
 */
export const tlsOptions = ({ caPem, client }: TlsMaterial) =>
  ({
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...(caPem === null ? {} : { ca: caPem }),
    ...(client === null
      ? {}
      : {
          cert: client.certPem,
          key: client.keyPem,
          ...(client.passphrase === null ? {} : { passphrase: client.passphrase }),
        }),
  }) as const;
