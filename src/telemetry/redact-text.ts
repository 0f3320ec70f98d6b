/**
 * Redaction by pattern: removes what must not be in a log line, from any source (an error of a library, an answer of
 * the bank, a setting). Complements redaction by key (`sensitive-keys.ts`), because names and free text have no
 * pattern.
 */

/** Longest text that is written; the rest is only counted. */
export const TEXT_MAX_LENGTH = 4_096;

/** Longest text that is searched: the patterns take time linear in its length. */
const SCAN_MAX_LENGTH = 16_384;
/**
 * Characters dropped at the end of a text that was cut for searching: the cut may split a secret, and no pattern
 * recognises half of one.
 */
const CUT_MARGIN = 512;

/** Names of fields about people, and names that end like a secret's name. */
const SECRET_NAME =
  '[\\w-]{0,40}(?:token|secret|secret_?key|password|passphrase|api[-_]?key|private_?key|signature|authorization)';
const JSON_KEYS =
  `${SECRET_NAME}|personId|personName|` +
  'address|owners?|description|legalReason|legalIdNumber|taxNumber|surname|phone|email|birthDate|message';

interface Pattern {
  readonly pattern: RegExp;
  readonly replacement: string;
}

/** In this order: a complete block or header before the digits inside it. */
const SECRET_PATTERNS: readonly Pattern[] = [
  {
    pattern: /-----BEGIN [A-Z0-9 ]{1,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{1,40}-----|$)/g,
    replacement: '[redacted:pem]',
  },
  // To the last @: a password may hold one.
  { pattern: /:\/\/[^\s"'<>]{1,512}@/g, replacement: '://[redacted:credentials]@' },
  // A word before the credentials is their scheme, of any name.
  {
    pattern: /\b(authorization\\?["']?\s{0,4}[:=]\s{0,4}\\?["']?)(?:[a-z][\w-]{0,30}\s{1,4})?[^\s"',;}\\]+/gi,
    replacement: '$1[redacted:authorization]',
  },
  { pattern: /\bBearer\s{1,4}[A-Za-z0-9._~+/=-]+/gi, replacement: 'Bearer [redacted:bearer]' },
  { pattern: /\beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/g, replacement: '[redacted:jwt]' },
  {
    pattern: new RegExp(`(?<![\\w-])(${SECRET_NAME})=(?!\\[redacted)("[^"]*"?|'[^']*'?|[^\\s&,;"']+)`, 'gi'),
    replacement: '$1=[redacted:secret]',
  },
  // As in headers. In a sentence (`token: expired`) the word stays, because a secret is long or has a digit.
  {
    pattern: new RegExp(
      `(?<![\\w-])(${SECRET_NAME}:\\s{1,4})(?!\\[redacted)(?=["']?(?:[^\\s"',;]{16}|[^\\s"',;]{0,15}[0-9]))` +
        `("[^"]*"?|'[^']*'?|[^\\s,;"']+)`,
      'gi',
    ),
    replacement: '$1[redacted:secret]',
  },
  // JSON inside a text, then JSON inside JSON inside a text.
  {
    pattern: new RegExp(`"(${JSON_KEYS})"\\s{0,4}:\\s{0,4}(?:"(?:\\\\.|[^"\\\\])*(?:"|$)|[0-9.]+)`, 'gi'),
    replacement: '"$1":"[redacted]"',
  },
  {
    pattern: new RegExp(
      `\\\\"(${JSON_KEYS})\\\\"\\s{0,4}:\\s{0,4}(?:\\\\"(?:[^"\\\\]|\\\\(?!"))*(?:\\\\"|$)|[0-9.]+)`,
      'gi',
    ),
    replacement: '\\"$1\\":\\"[redacted]\\"',
  },
];

/** Account numbers and tax ids. Our ids and those of bank and network stay, if the text names them as such. */
const DIGIT_PATTERNS: readonly Pattern[] = [
  {
    pattern:
      /(?<![0-9])(?<!(?:networkId|movementId|debinId)\\?["']?[:= ]{1,2}\\?["']?)(?:[0-9][ -]?){21}[0-9](?![0-9])/g,
    replacement: '[redacted:cbu]',
  },
  {
    pattern:
      /(?<![0-9A-Za-z_.])(?<!transfer-|(?:originId|movementId|networkId|debinId)\\?["']?[:= ]{1,2}\\?["']?)[0-9]{11}(?![0-9A-Za-z_])(?!\.[0-9])/g,
    replacement: '[redacted:cuit]',
  },
  {
    pattern: /(?<![0-9A-Za-z_.-])[0-9]{2}[- ][0-9]{8}[- ][0-9](?![0-9A-Za-z_])/g,
    replacement: '[redacted:cuit]',
  },
];

/**
 * The text without secrets, account numbers and tax ids, cut to a length. `keepDigits`: the text is an id of a
 * field that holds ids, so digits are left alone.
 */
export function redactText(
  text: string,
  {
    keepDigits = false,
    maxLength = TEXT_MAX_LENGTH,
  }: { readonly keepDigits?: boolean; readonly maxLength?: number } = {},
): string {
  const scanned = text.slice(0, SCAN_MAX_LENGTH);
  let redacted = replaceAll(scanned, SECRET_PATTERNS);
  if (!keepDigits) redacted = replaceAll(redacted, DIGIT_PATTERNS);
  if (text.length > SCAN_MAX_LENGTH) redacted = redacted.slice(0, Math.max(0, redacted.length - CUT_MARGIN));
  const kept = redacted.slice(0, maxLength);
  const cut =
    redacted.length - kept.length + (text.length > SCAN_MAX_LENGTH ? text.length - SCAN_MAX_LENGTH : 0);
  return cut === 0 ? kept : `${kept}…[${cut} more characters]`;
}

const replaceAll = (text: string, patterns: readonly Pattern[]): string =>
  patterns.reduce((current, { pattern, replacement }) => current.replace(pattern, replacement), text);
