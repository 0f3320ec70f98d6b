import type { KeyRing } from '../codec/key-ring';
import { CODEC } from './codec';
import { readSecretFile } from './files';
import { accept, hostAndPort, listOf, printable, refuse, wholeNumber } from './formats';
import type { Parser } from './formats';
import { headerName } from './headers';
import { TEMPORAL } from './temporal';
import { variables } from './variable';
import type { SettingsReader } from './variable';

export interface CodecServerConfig {
  readonly address: { readonly host: string; readonly port: number };
  /** Origins of browsers that may call. */
  readonly origins: readonly string[];
  /** Namespaces whose payloads are served. */
  readonly namespaces: readonly string[];
  /** The namespace of requests that name none. */
  readonly namespace: string;
  readonly requestsPerMinute: number;
  readonly trustedHops: number;
  /** The header in which a gateway names the person. */
  readonly operatorHeader: string | null;
}

export interface CodecServerSecrets {
  readonly token: string;
  /** Null: no `/encode`. */
  readonly encodeToken: string | null;
  readonly keyRing: KeyRing;
}

const TOKEN_MIN_LENGTH = 16;
const TOKEN_FILE = `the path of a file with one word of at least ${TOKEN_MIN_LENGTH} printable ASCII characters`;

const tokenFile: Parser<string> = (path) => {
  const file = readSecretFile(path);
  if (!file.ok) return file;
  if (!/^[\x21-\x7e]+$/.test(file.value))
    return refuse(`the file ${path} has no single word of printable ASCII`);
  return file.value.length < TOKEN_MIN_LENGTH
    ? refuse(`the file ${path} has a token of less than ${TOKEN_MIN_LENGTH} characters`)
    : accept(file.value);
};

/** As browsers send it: scheme, host, and the port unless it is the scheme's default. */
const origin: Parser<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text
    ? accept(text)
    : refuse('is not an origin such as https://temporal.example');
};

export const CODEC_SERVER = variables('Encryption', {
  CODEC_SERVER_ADDRESS: {
    ...hostAndPort,
    default: '127.0.0.1:8088',
    meaning: 'where the codec server listens',
  },
  CODEC_SERVER_TOKEN_FILE: {
    parse: tokenFile,
    allowed: TOKEN_FILE,
    meaning: 'bearer token for /decode; the codec server requires one',
    shown: 'never',
  },
  CODEC_SERVER_ENCODE_TOKEN_FILE: {
    parse: tokenFile,
    allowed: `${TOKEN_FILE}, other than that of CODEC_SERVER_TOKEN_FILE`,
    meaning:
      "bearer token for /encode; whoever has it can make payloads that workers accept as Giro's; none = no /encode",
    shown: 'never',
  },
  CODEC_SERVER_NAMESPACES: {
    parse: listOf(printable(200).parse),
    allowed: 'names of namespaces, comma-separated',
    meaning: 'namespaces whose payloads the codec server decrypts; it requires at least one',
  },
  CODEC_SERVER_ORIGINS: {
    parse: listOf(origin),
    allowed: 'origins such as https://temporal.example, comma-separated',
    meaning:
      'origins of web pages that may call the codec server, such as that of the Temporal UI; none = no browser may',
  },
  CODEC_SERVER_MAX_RPM: {
    ...wholeNumber(1, 1_000_000),
    default: '600',
    meaning:
      'maximum number of requests a minute from one address; the codec server answers further requests with 429',
  },
  CODEC_SERVER_TRUSTED_HOPS: {
    ...wholeNumber(0, 10),
    default: '0',
    meaning: 'number of proxies in front of the codec server whose X-Forwarded-For it trusts; 0 = none',
  },
  CODEC_SERVER_OPERATOR_HEADER: {
    parse: headerName.parse,
    allowed: 'the name of a header, e.g. X-Forwarded-User',
    meaning:
      'header in which the gateway in front of the codec server names the person, for the log; the gateway must overwrite what the browser sends',
  },
});

export function readCodecServer(
  reader: SettingsReader,
): { readonly config: CodecServerConfig; readonly secrets: CodecServerSecrets } | null {
  const keyRing = reader.required(CODEC.CODEC_KEYS_FILE);
  const token = reader.required(CODEC_SERVER.CODEC_SERVER_TOKEN_FILE);
  const encodeToken = reader.read(CODEC_SERVER.CODEC_SERVER_ENCODE_TOKEN_FILE);
  if (encodeToken !== null && encodeToken === token)
    reader.problem(
      CODEC_SERVER.CODEC_SERVER_ENCODE_TOKEN_FILE,
      'the token is that of CODEC_SERVER_TOKEN_FILE',
    );
  const namespaces = reader.required(CODEC_SERVER.CODEC_SERVER_NAMESPACES);
  const config = {
    address: reader.read(CODEC_SERVER.CODEC_SERVER_ADDRESS),
    origins: reader.read(CODEC_SERVER.CODEC_SERVER_ORIGINS) ?? [],
    namespaces: namespaces ?? [],
    namespace: reader.read(TEMPORAL.TEMPORAL_NAMESPACE),
    requestsPerMinute: reader.read(CODEC_SERVER.CODEC_SERVER_MAX_RPM),
    trustedHops: reader.read(CODEC_SERVER.CODEC_SERVER_TRUSTED_HOPS),
    operatorHeader: reader.read(CODEC_SERVER.CODEC_SERVER_OPERATOR_HEADER),
  };
  return keyRing === null || token === null ? null : { config, secrets: { token, encodeToken, keyRing } };
}
