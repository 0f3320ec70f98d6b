import { readOrder } from '../../../client/order-input';
import type { OrderInput, PreparedOrder } from '../../../client/order-input';
import type { OrderLimits } from '../../../domain/order';
import { describeIssues } from '../../../domain/order-validation';
import type { OrderIssue } from '../../../domain/order-validation';
import { InputError } from '../../../program/exit-codes';
import { parseOrder } from './parse-order';
import { splitOrders } from './split-orders';
import type { OrderText } from './split-orders';

export interface GoodOrder {
  /** 1, 2, 3… in the order of the input. */
  readonly position: number;
  /** `order 3, line 7` */
  readonly place: string;
  readonly input: OrderInput;
  readonly prepared: PreparedOrder;
}

export interface OrdersRead {
  /** Orders in the input, good and bad. */
  readonly count: number;
  readonly good: readonly GoodOrder[];
  /** One sentence for each bad order, with its place and every wrong field; no values. */
  readonly bad: readonly string[];
}

/**
 * Reads an input of `transfer start`.
 *
 * @throws InputError when the input cannot be split into orders, or a single object or an array is not JSON
 */
export function readOrders(text: string, limits: OrderLimits): OrdersRead {
  const { form, orders } = splitOrders(text);
  const good: GoodOrder[] = [];
  const bad: { readonly position: number; readonly sentence: string }[] = [];
  for (const order of orders) {
    const place = `order ${order.position}, line ${order.line}`;
    const refuse = (what: string) => bad.push({ position: order.position, sentence: `${place}: ${what}` });
    const parsed = parseOrder(order.text);
    if (!parsed.ok) {
      const problem = `${parsed.problem}${at(order, parsed.at)}`;
      if (form === 'whole' && !parsed.isJson) throw new InputError(`${place}: the order ${problem}`);
      refuse(`the order ${problem}`);
      continue;
    }
    const read = readOrder(parsed.value, limits);
    if (parsed.issues.length > 0) refuse(describeIssues(merged(parsed.issues, read.ok ? [] : read.issues)));
    else if (!read.ok) refuse(describeIssues(read.issues));
    else good.push({ position: order.position, place, input: parsed.value, prepared: read.prepared });
  }
  const { unique, repeated } = withoutRepeats(good);
  const sentences = [...bad, ...repeated].sort((a, b) => a.position - b.position);
  return { count: orders.length, good: unique, bad: sentences.map(({ sentence }) => sentence) };
}

/** The parser's issue for a path replaces the validator's issue about the NaN there. */
function merged(ofNumbers: readonly OrderIssue[], ofOrder: readonly OrderIssue[]): OrderIssue[] {
  const paths = new Set(ofNumbers.map(({ path }) => path));
  return [...ofNumbers, ...ofOrder.filter(({ path }) => !paths.has(path))];
}

function at(order: OrderText, place: { line: number; column: number } | null): string {
  return place === null ? '' : ` (line ${order.line + place.line - 1}, column ${place.column})`;
}

/** If two orders have the same id, it is unclear which one is meant: both are refused. */
function withoutRepeats(orders: readonly GoodOrder[]) {
  const sharing = new Map<string, GoodOrder[]>();
  for (const order of orders) {
    const others = sharing.get(keyOf(order));
    if (others === undefined) sharing.set(keyOf(order), [order]);
    else others.push(order);
  }
  const repeated = orders.flatMap((order) => {
    const other = sharing.get(keyOf(order))?.find((candidate) => candidate !== order);
    if (other === undefined) return [];
    const what = order.prepared.by === 'reference' ? 'reference' : keyOf(order);
    return [{ position: order.position, sentence: `${order.place}: the same ${what} as ${other.place}` }];
  });
  return { unique: orders.filter((order) => sharing.get(keyOf(order))?.length === 1), repeated };
}

const keyOf = ({ prepared }: GoodOrder): string =>
  prepared.by === 'reference' ? `reference ${prepared.reference}` : `originId ${prepared.order.originId}`;
