import type { temporal } from '@temporalio/proto';

type History = temporal.api.history.v1.IHistory;

/** A text in a history. Payloads are decoded, so that nothing hides in base64. */
export interface HistoryText {
  /** Event number, type of attributes, and the path in them. */
  readonly where: string;
  readonly text: string;
}

/** Every text of a history except the order: the first argument of the start, and of continue-as-new. */
export function textsBesideTheOrder(history: History): HistoryText[] {
  return (history.events ?? []).flatMap((event) => {
    const texts = textsOf(event, String(event.eventId));
    return texts.filter(({ where }) => !ORDER_ARGUMENT.test(where));
  });
}

const ORDER_ARGUMENT =
  /^\d+\.workflowExecution(Started|ContinuedAsNew)EventAttributes\.input\.payloads\.0(\.|$)/;

function textsOf(value: unknown, where: string): HistoryText[] {
  if (typeof value === 'string') return [{ where, text: value }];
  if (value instanceof Uint8Array) return [{ where, text: Buffer.from(value).toString('utf8') }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    { where: `${where} (a name)`, text: key },
    ...textsOf(member, `${where}.${key}`),
  ]);
}
