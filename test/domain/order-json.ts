/**
 * The JSON text of an order with some fields written differently. A change is raw JSON, so that it can have spellings
 * that a JavaScript value cannot hold (`1e3`, a repeated key). `null`: the field is left out. A path that ends in `+`
 * adds raw members to that object (`+` alone: to the order).
 */
export type OrderChanges = Readonly<Record<string, string | null>>;

/** The originId of every order here, unless changed. */
export const GOOD_ORIGIN_ID = 4711;

interface Shape {
  readonly [field: string]: string | Shape;
}

const GOOD_ORDER: Shape = {
  originId: String(GOOD_ORIGIN_ID),
  from: {
    addressType: '"CBU_CVU"',
    address: '"0009001600000000000017"',
    owner: { personIdType: '"CUI"', personId: '"30714979732"' },
  },
  to: {
    addressType: '"CBU_CVU"',
    address: '"9990001800000000000017"',
    owner: { personIdType: '"CUI"', personId: '"20218346414"' },
  },
  body: { currencyId: '"032"', amount: '"1500.25"', description: '"Factura 17"', concept: '"FAC"' },
};

export function orderJson(changes: OrderChanges = {}): string {
  const unused = new Set(Object.keys(changes));
  const write = (shape: Shape, path: string): string => {
    const members = Object.entries(shape).flatMap(([field, value]) => {
      const fieldPath = path === '' ? field : `${path}.${field}`;
      unused.delete(fieldPath);
      const change = changes[fieldPath];
      if (change === null) return [];
      return [
        `${JSON.stringify(field)}:${change ?? (typeof value === 'string' ? value : write(value, fieldPath))}`,
      ];
    });
    const added = path === '' ? '+' : `${path}.+`;
    unused.delete(added);
    return `{${[...members, ...(changes[added] == null ? [] : [changes[added]])].join(',')}}`;
  };
  const json = write(GOOD_ORDER, '');
  if (unused.size > 0) throw new Error(`no such field in an order: ${[...unused].join(', ')}`);
  return json;
}
