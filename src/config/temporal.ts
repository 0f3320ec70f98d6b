import type { TLSConfig } from '@temporalio/client';
import { loadClientConfigProfile, toClientOptions } from '@temporalio/envconfig';
import type { ClientConfigProfile } from '@temporalio/envconfig';
import type { KeyRing } from '../codec/key-ring';
import { readKeyRing } from './codec';
import { readSettingsFile } from './files';
import { isLoopbackHost } from './loopback';
import { accept, hostAndPort, oneOf, printable, refuse } from './parsers';
import type { Parser } from './parsers';
import type { SettingsReader } from './reader';
import { checkTlsProfile, checkTlsVariables } from './temporal-tls';

/** Which engine, and which queue of it; no secrets. */
export interface TemporalConfig {
  /** `host:port`. */
  readonly address: string;
  readonly namespace: string;
  readonly taskQueue: string;
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
const NAME_MAX_LENGTH = 200;

/**
 * The ecosystem's own variables and profile file, read by `@temporalio/envconfig`, with checks of what it passes
 * over in silence: an unknown word of TEMPORAL_TLS turns TLS off, half of a key pair is dropped, a profile file
 * that is named but absent counts as none.
 */
export function readTemporal(
  reader: SettingsReader,
): { readonly config: TemporalConfig; readonly secrets: TemporalSecrets } | null {
  const taskQueue = reader.withDefault('GIRO_TASK_QUEUE', taskQueueName);
  const keyRing = readKeyRing(reader);
  reader.optional('TEMPORAL_TLS', oneOf(['1', 'true', '0', 'false']));
  reader.optional('TEMPORAL_API_KEY', apiKey);
  // Here too, so that a broken profile does not hide them.
  reader.optional('TEMPORAL_ADDRESS', serverAddress);
  reader.optional('TEMPORAL_NAMESPACE', namespaceName);

  const profile = loadProfile(reader);
  if (profile === null) return null;
  const address = checked(reader, 'TEMPORAL_ADDRESS', serverAddress, profile.address);
  const namespace = checked(reader, 'TEMPORAL_NAMESPACE', namespaceName, profile.namespace);
  const tlsIsWhole = profile.tls === undefined || checkTlsProfile(reader, profile.tls);
  if (address === null || namespace === null || !tlsIsWhole) return null;
  if (profile.apiKey !== undefined && profile.tls?.disabled === true && !address.onLoopback) {
    return reader.problem('TEMPORAL_API_KEY', 'would travel in clear: TLS is off');
  }
  return {
    config: { address: address.text, namespace, taskQueue },
    secrets: { connection: connectionOptions(profile, address.text), keyRing },
  };
}

function loadProfile(reader: SettingsReader): ClientConfigProfile | null {
  const fileIsThere =
    !reader.isSet('TEMPORAL_CONFIG_FILE') ||
    reader.optional('TEMPORAL_CONFIG_FILE', readSettingsFile) !== null;
  if (!checkTlsVariables(reader) || !fileIsThere) return null;
  try {
    return loadClientConfigProfile({ overrideEnvVars: { ...reader.env } });
  } catch (error) {
    const wanted = reader.env['TEMPORAL_PROFILE'];
    if (wanted !== undefined && error instanceof Error && error.message.startsWith(`Profile '${wanted}'`)) {
      return reader.problem('TEMPORAL_PROFILE', 'the profile file has no such profile');
    }
    // The library's own message would repeat lines of the file, keys among them.
    return reader.problem('TEMPORAL_CONFIG_FILE', 'the profile file cannot be read as TOML with profiles');
  }
}

/** A value of the environment or of the profile; null after a problem, which says where the value came from. */
function checked<T>(
  reader: SettingsReader,
  name: 'TEMPORAL_ADDRESS' | 'TEMPORAL_NAMESPACE',
  parse: Parser<T>,
  text: string | undefined,
): T | null {
  if (text === undefined || reader.isSet(name)) return reader.withDefault(name, parse);
  const parsed = parse(text);
  return parsed.ok
    ? parsed.value
    : reader.problem(name, `the value in the Temporal profile ${parsed.reason}`);
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

/** The port may be left out, as elsewhere in the ecosystem. */
const serverAddress: Parser<{ readonly text: string; readonly onLoopback: boolean }> = (given) => {
  const text = /^[^:]+$/.test(given) ? `${given}:${DEFAULT_PORT}` : given;
  const parsed = hostAndPort(text);
  return parsed.ok ? accept({ text, onLoopback: isLoopbackHost(parsed.value.host) }) : parsed;
};

const namespaceName = printable(NAME_MAX_LENGTH);

const taskQueueName: Parser<string> = (text) =>
  text.startsWith('/_sys/')
    ? refuse('begins with /_sys/, which the engine keeps for itself')
    : printable(NAME_MAX_LENGTH)(text);

const apiKey: Parser<string> = (text) =>
  /^[\x21-\x7e]+$/.test(text) ? accept(text) : refuse('holds characters that cannot stand in a header');
