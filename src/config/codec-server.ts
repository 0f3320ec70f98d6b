import type { KeyRing } from '../codec/key-ring';
import { readKeyRing } from './codec';
import { readSecretFile } from './files';
import { headerName } from './header-name';
import { accept, hostAndPort, listOf, printable, refuse, wholeNumber } from './parsers';
import type { Parser } from './parsers';
import type { SettingsReader } from './reader';

export interface CodecServerConfig {
  readonly address: { readonly host: string; readonly port: number };
  /** Origins of browsers that may ask. */
  readonly origins: readonly string[];
  /** Of requests that name none. */
  readonly namespace: string;
  readonly requestsPerMinute: number;
  readonly trustedHops: number;
  /** In which a gateway names the person who asks. */
  readonly operatorHeader: string | null;
}

export interface CodecServerSecrets {
  readonly token: string;
  readonly keyRing: KeyRing;
}

const TOKEN_MIN_LENGTH = 16;

export function readCodecServer(
  reader: SettingsReader,
): { readonly config: CodecServerConfig; readonly secrets: CodecServerSecrets } | null {
  const keyRing = readKeyRing(reader);
  if (!reader.isSet('CODEC_KEYS_FILE')) reader.problem('CODEC_KEYS_FILE', 'is required');
  const token = reader.required('CODEC_SERVER_TOKEN_FILE', tokenFile);
  const config = {
    address: reader.withDefault('CODEC_SERVER_ADDRESS', hostAndPort),
    origins: reader.optional('CODEC_SERVER_ORIGINS', listOf(origin)) ?? [],
    namespace: reader.withDefault('TEMPORAL_NAMESPACE', printable(200)),
    requestsPerMinute: reader.withDefault('CODEC_SERVER_MAX_RPM', wholeNumber(1, 1_000_000)),
    trustedHops: reader.withDefault('CODEC_SERVER_TRUSTED_HOPS', wholeNumber(0, 10)),
    operatorHeader: reader.optional('CODEC_SERVER_OPERATOR_HEADER', headerName),
  };
  return keyRing === null || token === null ? null : { config, secrets: { token, keyRing } };
}

const tokenFile: Parser<string> = (path) => {
  const file = readSecretFile(path);
  if (!file.ok) return file;
  if (!/^[\x21-\x7e]+$/.test(file.value))
    return refuse(`the file ${path} has no single word of printable ASCII`);
  return file.value.length < TOKEN_MIN_LENGTH
    ? refuse(`the file ${path} has a token of less than ${TOKEN_MIN_LENGTH} characters`)
    : accept(file.value);
};

/** As browsers send it: scheme, host, port unless it is the scheme's own. */
const origin: Parser<string> = (text) => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) && url.origin === text
    ? accept(text)
    : refuse('is not an origin such as https://temporal.example');
};
