import type { ClientConfigProfile } from '@temporalio/envconfig';
import { readClosedFile, readSettingsFile } from './files';
import { anyText } from './formats';
import { variable, variables } from './variable';
import type { SettingsReader, Variable } from './variable';

const WITH_KEY = ', with the client key';
const WITH_CERTIFICATE = ', with the client certificate';

/**
 * Each part is given as a file or as text. `@temporalio/envconfig` reads the parts; this file checks that they are
 * complete.
 */
const part = (name: string, remark: string, meaning: string) => ({
  path: variable('Temporal', `${name}_PATH`, {
    parse: anyText,
    allowed: `the path of a PEM file${remark}`,
    meaning,
  }),
  data: variable('Temporal', `${name}_DATA`, {
    parse: anyText,
    allowed: `PEM text${remark}`,
    meaning: 'the same, as text',
    shown: 'never',
  }),
});

export const SERVER_CA_CERT = part(
  'TEMPORAL_TLS_SERVER_CA_CERT',
  '',
  'certificate authority of the Temporal server',
);
export const CLIENT_CERT = part(
  'TEMPORAL_TLS_CLIENT_CERT',
  WITH_KEY,
  'client certificate for the Temporal server',
);
export const CLIENT_KEY = part('TEMPORAL_TLS_CLIENT_KEY', WITH_CERTIFICATE, 'key of the client certificate');

export const TEMPORAL_TLS_NAME = variables('Temporal', {
  TEMPORAL_TLS_SERVER_NAME: {
    parse: anyText,
    allowed: 'a host name',
    meaning: 'name that the certificate of the Temporal server must have',
  },
});

/** Whether no part is given twice; `@temporalio/envconfig` would throw without the variable's name. */
export function checkTlsVariables(reader: SettingsReader): boolean {
  const twice = [SERVER_CA_CERT, CLIENT_CERT, CLIENT_KEY].filter(
    ({ path, data }) => reader.isSet(path) && reader.isSet(data),
  );
  for (const { path, data } of twice) reader.problem(path, `${data.name} is set too`);
  return twice.length === 0;
}

/** Whether the TLS settings are complete: half of a key pair would be dropped silently, and its file read late. */
export function checkTlsProfile(
  reader: SettingsReader,
  tls: NonNullable<ClientConfigProfile['tls']>,
): boolean {
  if (tls.disabled === true) return true;
  const before = reader.problems.length;
  if (tls.clientCert !== undefined && tls.clientKey === undefined)
    reader.problem(given(reader, CLIENT_CERT), 'the client key is missing');
  if (tls.clientKey !== undefined && tls.clientCert === undefined)
    reader.problem(given(reader, CLIENT_KEY), 'the client certificate is missing');
  for (const [{ path }, source] of [
    [SERVER_CA_CERT, tls.serverCACert],
    [CLIENT_CERT, tls.clientCert],
    [CLIENT_KEY, tls.clientKey],
  ] as const) {
    if (source === undefined || !('path' in source)) continue;
    const file = (path === CLIENT_KEY.path ? readClosedFile : readSettingsFile)(source.path);
    if (!file.ok) reader.problem(path, file.reason);
  }
  return reader.problems.length === before;
}

/** The variable to name for a part: the one that is set. */
const given = (reader: SettingsReader, { path, data }: typeof CLIENT_CERT): Variable =>
  reader.isSet(data) ? data : path;
