/** Certificates and keys of the connections to the bank. */
export interface TlsMaterial {
  /** PEM of the authorities to trust; null: those that Node ships. */
  readonly caPem: string | null;
  /** What we show the bank; null: nothing. */
  readonly client: {
    /** Our certificate first, then its chain. */
    readonly certPem: string;
    readonly keyPem: string;
    readonly passphrase: string | null;
  } | null;
}

/** Called before each call; returns the same object while nothing has changed. */
export type TlsSource = () => TlsMaterial;

/** Options of a TLS connection. Sets everything that environment variables and flags of Node could loosen. */
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
