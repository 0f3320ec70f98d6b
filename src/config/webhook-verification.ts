import type { HmacScheme } from '../signing/hmac';
import { uses } from '../signing/hmac-template';
import { fileAnd, readSecretLines, secretWithin } from './files';
import { oneOf } from './formats';
import type { Parsed } from './formats';
import { hmacVariables, readHmacScheme } from './hmac';
import { variables } from './variable';
import type { SettingsReader } from './variable';

/** How deliveries of the bank are verified, in addition to the secret in the path. */
export type WebhookVerification =
  | { readonly kind: 'url-token' }
  | { readonly kind: 'standard'; readonly secretFile: string }
  | { readonly kind: 'hmac'; readonly secretFile: string; readonly scheme: HmacScheme };

const standardSecret = secretWithin(
  24,
  500,
  /^(?:whsec_)?(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
  'is not base64, with or without whsec_ before it',
);

export const readStandardSecrets = (path: string): Parsed<readonly string[]> =>
  readSecretLines(path, standardSecret);

const hmacSecret = secretWithin(8, 5_000, /^\P{Cc}+$/u, 'has control characters');

export const readHmacSecrets = (path: string): Parsed<readonly string[]> => readSecretLines(path, hmacSecret);

export const WEBHOOK_VERIFICATION = variables('Webhooks', {
  WEBHOOK_VERIFY: {
    ...oneOf(['url-token', 'standard', 'hmac']),
    default: 'url-token',
    meaning: 'how a delivery is verified: by the secret path alone, or also by Standard Webhooks or an HMAC',
  },
  WEBHOOK_SECRET_FILE: {
    parse: signingSecrets,
    allowed:
      'the path of a file with one or more secrets, one on each line, unless WEBHOOK_VERIFY is url-token',
    meaning: 'secrets that may sign deliveries; re-read when the file changes',
  },
});

export const WEBHOOK_HMAC = hmacVariables('Webhooks', 'WEBHOOK_HMAC', 'with WEBHOOK_VERIFY=hmac', {
  allowed: 'as BANK_HMAC_CONTENT, with {body} or {bodySha256}',
  meaning: 'what is signed; with {timestamp} a delivery older than 5 minutes is refused',
});

/** Null after a problem. `secrets` is empty with `url-token`. */
export function readVerification(
  reader: SettingsReader,
): { readonly config: WebhookVerification; readonly secrets: readonly string[] } | null {
  const { WEBHOOK_VERIFY, WEBHOOK_SECRET_FILE } = WEBHOOK_VERIFICATION;
  const kind = reader.read(WEBHOOK_VERIFY);
  const scheme = readHmacScheme(reader, WEBHOOK_HMAC);
  // An incomplete configuration must not lead to unverified deliveries.
  if (kind !== 'hmac') reader.refuseIfSet(Object.values(WEBHOOK_HMAC), 'WEBHOOK_VERIFY is not hmac');
  if (kind === 'url-token') {
    reader.refuseIfSet([WEBHOOK_SECRET_FILE], 'WEBHOOK_VERIFY is url-token, which checks no signature');
    return { config: { kind }, secrets: [] };
  }
  if (kind === 'hmac' && !uses(scheme.content, 'body') && !uses(scheme.content, 'bodySha256'))
    reader.problem(WEBHOOK_HMAC.content, 'covers no byte of the body: it needs {body} or {bodySha256}');
  const source = reader.required(WEBHOOK_SECRET_FILE);
  if (source === null) return null;
  const { file: secretFile, value: secrets } = source;
  return { config: kind === 'hmac' ? { kind, secretFile, scheme } : { kind, secretFile }, secrets };
}

function signingSecrets(
  path: string,
  reader: SettingsReader,
): Parsed<{ readonly file: string; readonly value: readonly string[] }> {
  const isHmac = reader.read(WEBHOOK_VERIFICATION.WEBHOOK_VERIFY) === 'hmac';
  return fileAnd(isHmac ? readHmacSecrets : readStandardSecrets)(path);
}
