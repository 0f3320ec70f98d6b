import { accept, listOf, oneOf, refuse } from './formats';
import type { Parsed } from './formats';
import { variables } from './variable';
import type { SettingsReader } from './variable';

const SERVERS = ['postgres', 'temporal'] as const;
type Server = (typeof SERVERS)[number];

/** How the connection to a server is protected; `plaintext`: it is not encrypted, or the server is not verified. */
export type Transport = 'loopback' | 'verified-tls' | 'plaintext';

export const PLAINTEXT = variables('Process', {
  ALLOW_PLAINTEXT: {
    parse: listOf(oneOf(SERVERS).parse),
    allowed: 'postgres, temporal, or both, comma-separated',
    meaning:
      'servers that are not on loopback and that Giro may reach without verified TLS; none = Giro refuses to start if such a server lacks verified TLS. A Unix socket counts as loopback',
  },
});

/** Node's own switch turns verification off for both servers' clients. */
export const tlsIsVerified = ({ env }: Pick<SettingsReader, 'env'>): boolean =>
  env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0';

/** `remedy` completes the sentence "is not on loopback and lacks verified TLS: ". */
export function admitTransport(
  reader: SettingsReader,
  { server, transport, remedy }: { server: Server; transport: Transport; remedy: string },
): Parsed<Transport> {
  const isAllowed = reader.read(PLAINTEXT.ALLOW_PLAINTEXT)?.includes(server) === true;
  if (transport !== 'plaintext' || isAllowed) return accept(transport);
  return refuse(
    tlsIsVerified(reader)
      ? `is not on loopback and lacks verified TLS: ${remedy}, or name ${server} in ALLOW_PLAINTEXT`
      : `is not on loopback, and NODE_TLS_REJECT_UNAUTHORIZED=0 lets any server pass: unset it, or name ${server} in ALLOW_PLAINTEXT`,
  );
}
