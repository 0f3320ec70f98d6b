import type { TLSConfig } from '@temporalio/client';
import { loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import type { ClientConfigProfile } from '@temporalio/envconfig';
import type { KeyRing } from '../codec/key-ring';
import { readKeyRing } from './codec';
import { readClosedFile } from './files';
import { defaultProfileFile } from './temporal-profile-file';
import { isLoopbackHost } from './address';
import { accept, anyText, hostAndPort, oneOf, printable, refuse } from './formats';
import type { Parser } from './formats';
import { admitTransport, tlsIsVerified } from './plaintext';
import type { Transport } from './plaintext';
import { PROCESS } from './process';
import { checkTlsProfile, checkTlsVariables } from './temporal-tls';
import { variables } from './variable';
import type { SettingsReader, Variable } from './variable';

/** The Temporal server, namespace and task queue; no secrets. */
export interface TemporalConfig {
  /** `host:port`. */
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly transport: Transport;
}

/** The options that `Connection.connect` and `NativeConnection.connect` have in common. */
export interface TemporalConnectionOptions {
  readonly address: string;
  readonly apiKey?: string;
  readonly tls?: TLSConfig | boolean;
  readonly metadata?: Record<string, string>;
}

export interface TemporalSecrets {
  readonly connection: TemporalConnectionOptions;
  /** Encrypts payloads; null: they travel in clear. */
  readonly keyRing: KeyRing | null;
}

const DEFAULT_PORT = 7233;

/** The port is optional, as for Temporal's other programs. */
const serverAddress: Parser<{ readonly text: string; readonly onLoopback: boolean }> = (given) => {
  const text = /^[^:]+$/.test(given) ? `${given}:${DEFAULT_PORT}` : given;
  const parsed = hostAndPort.parse(text);
  return parsed.ok ? accept({ text, onLoopback: isLoopbackHost(parsed.value.host) }) : parsed;
};

const apiKey: Parser<string> = (text) =>
  /^[\x21-\x7e]+$/.test(text) ? accept(text) : refuse('holds characters that cannot stand in a header');

export const TEMPORAL = variables('Temporal', {
  TEMPORAL_ADDRESS: {
    parse: serverAddress,
    default: 'localhost:7233',
    allowed: 'host or host:port',
    meaning: 'address of the Temporal server',
    shown: 'url',
  },
  TEMPORAL_NAMESPACE: {
    ...printable(200),
    default: 'default',
    meaning: 'namespace on the Temporal server',
  },
  TEMPORAL_API_KEY: {
    parse: apiKey,
    allowed: 'printable ASCII text, over TLS or to loopback',
    meaning: 'API key; turns TLS on',
    shown: 'never',
  },
  TEMPORAL_TLS: {
    ...oneOf(['1', 'true', '0', 'false']),
    meaning: 'TLS to the Temporal server, on or off; none = on when an API key or a certificate is given',
  },
});

export const TEMPORAL_PROFILES = variables('Temporal', {
  TEMPORAL_PROFILE: {
    parse: anyText,
    allowed: 'the name of a profile in the Temporal profile file',
    meaning: 'profile that the variables above override; none = the profile named default, if it exists',
  },
  TEMPORAL_CONFIG_FILE: {
    // A profile may hold an API key.
    parse: readClosedFile,
    allowed: 'the path of a readable TOML file with profiles, closed to others',
    meaning: 'Temporal profile file; none = the standard path in the home directory',
  },
});

/**
 * Temporal's own variables and profile file, read by `@temporalio/envconfig`. That package accepts some mistakes
 * silently: an unknown word in TEMPORAL_TLS turns TLS off, half of a key pair is dropped, a named profile file may be
 * missing. This function refuses them.
 */
export function readTemporal(
  reader: SettingsReader,
): { readonly config: TemporalConfig; readonly secrets: TemporalSecrets } | null {
  const taskQueue = reader.read(PROCESS.GIRO_TASK_QUEUE);
  const keyRing = readKeyRing(reader);
  // These variables are read before the profile, so that a broken profile does not hide problems with them.
  for (const variable of Object.values(TEMPORAL)) reader.read<unknown>(variable);

  const profile = loadProfile(reader);
  if (profile === null) return null;
  const address = checked(reader, TEMPORAL.TEMPORAL_ADDRESS, profile.address);
  const namespace = checked(reader, TEMPORAL.TEMPORAL_NAMESPACE, profile.namespace);
  const tlsIsWhole = profile.tls === undefined || checkTlsProfile(reader, profile.tls);
  if (address === null || namespace === null || !tlsIsWhole) return null;
  if (profile.apiKey !== undefined && profile.tls?.disabled === true && !address.onLoopback) {
    return reader.problem(TEMPORAL.TEMPORAL_API_KEY, 'would travel in clear: TLS is off');
  }
  const connection = connectionOptions(profile, address.text);
  const isVerified = connection.tls !== undefined && connection.tls !== false && tlsIsVerified(reader);
  const transport = admitTransport(reader, {
    server: 'temporal',
    transport: address.onLoopback ? 'loopback' : isVerified ? 'verified-tls' : 'plaintext',
    remedy: 'set TEMPORAL_TLS=1 (and TEMPORAL_TLS_SERVER_CA_CERT_PATH for your own authority)',
  });
  if (!transport.ok) return reader.problem(TEMPORAL.TEMPORAL_ADDRESS, transport.reason);
  return {
    config: { address: address.text, namespace, taskQueue, transport: transport.value },
    secrets: { connection, keyRing },
  };
}

function loadProfile(reader: SettingsReader): ClientConfigProfile | null {
  const { TEMPORAL_PROFILE, TEMPORAL_CONFIG_FILE } = TEMPORAL_PROFILES;
  const fileIsThere = !reader.isSet(TEMPORAL_CONFIG_FILE) || reader.read(TEMPORAL_CONFIG_FILE) !== null;
  if (!checkTlsVariables(reader) || !fileIsThere) return null;
  const ownPlace = reader.isSet(TEMPORAL_CONFIG_FILE) ? null : defaultProfileFile(reader.env);
  const found = ownPlace === null ? null : readClosedFile(ownPlace);
  if (found?.ok === false) return reader.problem(TEMPORAL_CONFIG_FILE, found.reason);
  try {
    return loadClientConfigProfile({ overrideEnvVars: { ...reader.env } });
  } catch (error) {
    const wanted = reader.read(TEMPORAL_PROFILE);
    if (wanted !== null && error instanceof Error && error.message.startsWith(`Profile '${wanted}'`)) {
      return reader.problem(TEMPORAL_PROFILE, 'the profile file has no such profile');
    }
    // The library's message would repeat lines of the file, and so keys.
    return reader.problem(TEMPORAL_CONFIG_FILE, 'the profile file cannot be read as TOML with profiles');
  }
}

/** A value of the environment or of the profile; null after a problem, which says where the value came from. */
function checked<T>(
  reader: SettingsReader,
  variable: Variable<T, string>,
  text: string | undefined,
): T | null {
  if (text === undefined || reader.isSet(variable)) return reader.read(variable);
  const parsed = variable.parse(text, reader);
  return parsed.ok
    ? parsed.value
    : reader.problem(variable, `the value in the Temporal profile ${parsed.reason}`);
}

function connectionOptions(profile: ClientConfigProfile, address: string): TemporalConnectionOptions {
  const { tls } = toClientOptions(profile).connectionOptions;
  return {
    address,
    ...(profile.apiKey === undefined ? {} : { apiKey: profile.apiKey }),
    ...(tls == null ? {} : { tls }),
    ...(profile.grpcMeta === undefined ? {} : { metadata: profile.grpcMeta }),
  };
}
