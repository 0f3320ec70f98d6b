/** Markup that is safe to put into a page: made by `html`, which escapes everything that is put into it. */
export class SafeHtml {
  constructor(readonly markup: string) {}
}

type Value = SafeHtml | string | number | readonly (SafeHtml | string)[];

/** Template tag: what is between `${}` is escaped, unless it is markup made by this tag. Lists are joined. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): SafeHtml {
  const markup = parts.map((part, i) => part + markupOf(values[i] ?? '')).join('');
  return new SafeHtml(markup);
}

function markupOf(value: Value): string {
  if (value instanceof SafeHtml) return value.markup;
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return value.map(markupOf).join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
