/** Pieces of the texts that operators read in the Temporal UI. */

/** `2026-05-12 14:03:07 UTC` of ISO UTC; null: never. */
export const clock = (iso: string | null): string =>
  iso === null ? 'never' : `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;

export const errorLabel = ({
  code: label,
  httpStatus,
}: {
  readonly code: string;
  readonly httpStatus: number | null;
}): string => (httpStatus === null ? label : `${label} ${httpStatus}`);

/** `once`, `2 times`. */
export const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);

/** A name as any client may have written it. */
export const code = (text: string): string => `\`${text.replaceAll('`', "'")}\``;

/** Text that people wrote, without characters that Markdown would interpret. */
export const plain = (text: string): string => text.replace(/[^\p{L}\p{N} .,:;()/+-]/gu, ' ');

/** Summary of the step that records the open flags. */
export const flagsSummary = (reasons: readonly string[]): string =>
  reasons.length === 0 ? 'no flag is open' : reasons.join(', ');
