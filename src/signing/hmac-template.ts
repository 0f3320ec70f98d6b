import { createHash } from 'node:crypto';
import type { SignableRequest } from './signable-request';

/** Placeholders that a template may contain, in braces. */
const PLACEHOLDERS = [
  'timestamp',
  'nonce',
  'method',
  'path',
  'pathTrimmed',
  'query',
  'url',
  'body',
  'bodySha256',
] as const;
export type Placeholder = (typeof PLACEHOLDERS)[number];

/** A parsed template: texts and placeholders in order. */
export type HmacTemplate = readonly ({ readonly text: string } | { readonly placeholder: Placeholder })[];

export type ReadTemplate =
  { readonly ok: true; readonly template: HmacTemplate } | { readonly ok: false; readonly reason: string };

const TOKEN = /\{([^{}]*)\}|\\([\s\S]?)|([{}])/g;
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\' };

/**
 * Reads the text of `BANK_HMAC_CONTENT` and its like. `\n`, `\r`, `\t` and `\\` have their usual meaning. Refused: an
 * unknown placeholder, a stray brace, another escape, and a template without placeholders, since its signature would be
 * the same for every request.
 */
export function readTemplate(text: string): ReadTemplate {
  const template: ({ text: string } | { placeholder: Placeholder })[] = [];
  let literal = '';
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [token, name, escape, brace] = match;
    literal += text.slice(end, match.index);
    end = match.index + token.length;
    if (brace !== undefined) return refuse(`has a ${brace} that belongs to no placeholder`);
    if (escape !== undefined) {
      const meant = ESCAPES[escape];
      if (meant === undefined) return refuse('has a \\ that is not \\n, \\r, \\t or \\\\');
      literal += meant;
      continue;
    }
    const placeholder = PLACEHOLDERS.find((known) => known === name);
    if (placeholder === undefined)
      return refuse(`has the unknown placeholder {${(name ?? '').slice(0, 40)}}`);
    if (literal !== '') template.push({ text: literal });
    literal = '';
    template.push({ placeholder });
  }
  literal += text.slice(end);
  if (literal !== '') template.push({ text: literal });
  return template.some((part) => 'placeholder' in part)
    ? { ok: true, template }
    : refuse('has no placeholder');
}

const refuse = (reason: string): ReadTemplate => ({ ok: false, reason });

export const uses = (template: HmacTemplate, wanted: Placeholder): boolean =>
  template.some((part) => 'placeholder' in part && part.placeholder === wanted);

/** Values that the template takes in addition to the request; empty if unused. */
export interface Freshness {
  /** Unix seconds. */
  readonly timestamp: string;
  readonly nonce: string;
}

/** The bytes to sign. */
export function render(template: HmacTemplate, request: SignableRequest, freshness: Freshness): Buffer {
  return Buffer.concat(
    template.map((part) =>
      'text' in part ? Buffer.from(part.text) : valueOf(part.placeholder, request, freshness),
    ),
  );
}

function valueOf(placeholder: Placeholder, request: SignableRequest, freshness: Freshness): Buffer {
  switch (placeholder) {
    case 'timestamp':
    case 'nonce':
      return Buffer.from(freshness[placeholder]);
    case 'method':
    case 'path':
    case 'query':
    case 'url':
      return Buffer.from(request[placeholder]);
    case 'pathTrimmed':
      return Buffer.from(request.path.replace(/^\/+|\/+$/g, ''));
    case 'body':
      return request.body;
    case 'bodySha256':
      return Buffer.from(createHash('sha256').update(request.body).digest('hex'));
  }
}
