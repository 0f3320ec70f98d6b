import { LosslessNumber } from 'lossless-json';
import fc from 'fast-check';

/** Texts that have the form of no id, network name or timestamp. */
const PERSONAL_TEXTS = ['José Núñez', 'CANARY: jose@example.com', 'Siempreviva 742, 3º', '<b>CANARY</b>'];

const number = (text: string) => new LosslessNumber(text);
const replacement: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', ' ', [], {}, [[]], [null], '032', number('32'), number('100.1')),
  fc.constantFrom<unknown>('COMPLETED', 'FAILED', 'completed', 'IN_PROGRESS', 'ON_HOLD', 'COMPLETED '),
  fc.constantFrom<unknown>(number('4711'), ' 4711 ', '04711', number('4712'), '0100.10', '100,10', '100.1'),
  fc.constantFrom<unknown>(number('1e999'), number('-0'), number('1.001e2'), number('9'.repeat(60))),
  fc.constantFrom<unknown>('20-21834641-4', '9990001800000000000018', number('9990001800000000000017')),
  fc.constantFrom<unknown>(...PERSONAL_TEXTS, 'x'.repeat(201), '\u0000', '__proto__', '\ud800'),
  fc.jsonValue({ maxDepth: 2 }).map(lossless),
);

/** One change; `at` selects a node of the tree in its state at that time. */
export const treeMutation = fc.record({
  at: fc.nat(10_000),
  how: fc.constantFrom('drop', 'replace', 'retype', 'wrap', 'add'),
  key: fc.constantFrom('status', 'details', 'owners', 'amount', 'originId', '__proto__', 'constructor', 'x'),
  value: replacement,
});
export type TreeMutation = typeof treeMutation extends fc.Arbitrary<infer T> ? T : never;

export function mutateTree(root: Record<string, unknown>, { at, how, key, value }: TreeMutation): void {
  const places = placesIn(root);
  const place = places[at % places.length];
  if (place === undefined) return;
  const [parent, name] = place;
  const current = parent[name];
  switch (how) {
    case 'drop':
      // The movement itself cannot be absent.
      if (parent === root) parent[name] = null;
      else if (Array.isArray(parent)) parent.splice(Number(name), 1);
      else Reflect.deleteProperty(parent, name);
      return;
    case 'replace':
      parent[name] = lossless(value);
      return;
    case 'retype':
      parent[name] = retyped(current);
      return;
    case 'wrap':
      parent[name] = at % 2 === 0 ? [current] : { value: current };
      return;
    case 'add':
      if (isTree(current) && !Array.isArray(current)) {
        // As a parser does: an own key with any name.
        Object.defineProperty(current, key, {
          value: lossless(value),
          enumerable: true,
          configurable: true,
          writable: true,
        });
      }
  }
}

type Tree = Record<string, unknown>;

/** Every value below the root, with its place. */
function placesIn(tree: Tree): (readonly [parent: Tree, key: string])[] {
  return Object.keys(tree).flatMap((key) => {
    const value = tree[key];
    return [[tree, key] as const, ...(isTree(value) ? placesIn(value) : [])];
  });
}

const isTree = (value: unknown): value is Tree =>
  typeof value === 'object' && value !== null && !(value instanceof LosslessNumber);

/** A number as text, a text as a number if possible, a tree as a list of its values. */
function retyped(value: unknown): unknown {
  if (value instanceof LosslessNumber) return value.value;
  if (typeof value === 'string') return /^(0|[1-9]\d*)$/.test(value) ? number(value) : value.split(' ');
  return isTree(value) ? Object.values(value) : value === true ? 'true' : '';
}

/** A copy, so that no later change reaches the mutation itself; numbers as the parser has them. */
function lossless(value: unknown): unknown {
  if (typeof value === 'number') return number(String(Object.is(value, -0) ? 0 : value));
  if (Array.isArray(value)) return value.map(lossless);
  return isTree(value) ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, lossless(v)])) : value;
}
