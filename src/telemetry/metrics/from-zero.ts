import type { Counter } from 'prom-client';

/** A closed set, each value once: a missing or surplus value does not compile. */
export type Words<Word extends string> = Readonly<Record<Word, 0>>;

/**
 * Shows a counter at 0 for each value of its label from the start. `increase` and `rate` only see a step between two
 * samples: if a series began with its first event, they would miss that event.
 */
export function fromZero<Label extends string>(
  counter: Counter<Label>,
  label: NoInfer<Label>,
  words: readonly string[] | Words<string>,
): void {
  for (const word of Array.isArray(words) ? (words as readonly string[]) : Object.keys(words)) {
    counter.inc({ [label]: word } as Record<Label, string>, 0);
  }
}
