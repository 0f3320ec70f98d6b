import type { ClientConfigProfile } from '@temporalio/envconfig';
import { readSettingsFile } from './files';
import type { SettingsReader } from './reader';
import type { VariableName } from './variables';

const PARTS = ['SERVER_CA_CERT', 'CLIENT_CERT', 'CLIENT_KEY'] as const;
type TlsPart = (typeof PARTS)[number];

/** Whether no part is given twice; `@temporalio/envconfig` would throw without the variable's name. */
export function checkTlsVariables(reader: SettingsReader): boolean {
  const twice = PARTS.filter(
    (part) => reader.isSet(`TEMPORAL_TLS_${part}_PATH`) && reader.isSet(`TEMPORAL_TLS_${part}_DATA`),
  );
  for (const part of twice)
    reader.problem(`TEMPORAL_TLS_${part}_PATH`, `TEMPORAL_TLS_${part}_DATA is set too`);
  return twice.length === 0;
}

/** Whether the TLS settings are whole: half of a key pair would be dropped in silence, and its file read late. */
export function checkTlsProfile(
  reader: SettingsReader,
  tls: NonNullable<ClientConfigProfile['tls']>,
): boolean {
  if (tls.disabled === true) return true;
  const before = reader.problems.length;
  const sources = {
    SERVER_CA_CERT: tls.serverCACert,
    CLIENT_CERT: tls.clientCert,
    CLIENT_KEY: tls.clientKey,
  };
  if (sources.CLIENT_CERT !== undefined && sources.CLIENT_KEY === undefined) {
    reader.problem(variableOf(reader, 'CLIENT_CERT'), 'there is no client key with it');
  }
  if (sources.CLIENT_KEY !== undefined && sources.CLIENT_CERT === undefined) {
    reader.problem(variableOf(reader, 'CLIENT_KEY'), 'there is no client certificate with it');
  }
  for (const part of PARTS) {
    const source = sources[part];
    if (source === undefined || !('path' in source)) continue;
    const file = readSettingsFile(source.path);
    if (!file.ok) reader.problem(`TEMPORAL_TLS_${part}_PATH`, file.reason);
  }
  return reader.problems.length === before;
}

/** The variable to name for a part: the one that is set. */
const variableOf = (reader: SettingsReader, part: TlsPart): VariableName =>
  reader.isSet(`TEMPORAL_TLS_${part}_DATA`) ? `TEMPORAL_TLS_${part}_DATA` : `TEMPORAL_TLS_${part}_PATH`;
