/** Values that occur nowhere else: finding one shows what leaked. */
export const SECRETS = {
  /** In the request to the token service. */
  clientSecret: 'kanarienvogel-client-6f1c0d',
  hmacSecret: 'kanarienvogel-hmac-93ab7e',
  /** In the file of further headers. */
  apiKey: 'kanarienvogel-key-b270e4',
} as const;

export const PERSONAL = {
  fromAccount: '0009001601234567890126',
  toAccount: '3220001880500009999902',
  payer: '30707101020',
  payee: '27361705039',
  description: 'Canario Ñandú de Ñuñoa',
  /** The name that the sandbox bank gives everybody. */
  bankName: 'Razón Señal',
} as const;

export const CANARIES = { ...SECRETS, ...PERSONAL } as const;

/** A place that is searched for canaries. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

/**
 * The forms that a value may have in texts: plain, escaped for JSON or a URL, in base64 or hex; digits with separators.
 */
function spellings(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  const unicode = value.replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  // In a longer base64 text, a value starts at one of three offsets. Characters that depend on its neighbours are cut
  // off.
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(shift === 0 ? 0 : 4, -2),
  );
  const cuit = /^\d{11}$/.test(value)
    ? [`${value.slice(0, 2)}-${value.slice(2, 10)}-${value.slice(10)}`]
    : [];
  return [
    value,
    unicode,
    encodeURIComponent(value),
    bytes.toString('hex'),
    bytes.toString('latin1'),
    ...shifted,
    ...cuit,
  ];
}

/** `where: what` of each canary in each source. */
export function leaks(
  sources: readonly Source[],
  values: Readonly<Record<string, string>> = CANARIES,
): string[] {
  const wanted = Object.entries(values).map(([what, value]) => ({ what, spellings: spellings(value) }));
  return sources.flatMap(({ name, text }) =>
    wanted
      .filter((canary) => canary.spellings.some((spelling) => text.includes(spelling)))
      .map(({ what }) => `${name}: ${what}`),
  );
}
