import type { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

const { IndexedValueType } = temporal.api.enums.v1;

/** The search attributes of transfers and verifications (contract section 3), by registered type. */
const SEARCH_ATTRIBUTES = {
  GiroStatus: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  GiroOriginId: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  GiroMovementId: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  GiroNetworkId: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  GiroAttentionReason: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  GiroKycStatus: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  GiroNeedsAttention: IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
  GiroOpenedAt: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
} as const;

type Registered = Readonly<Record<string, temporal.api.enums.v1.IndexedValueType>>;

export interface SearchAttributeCheck {
  readonly missing: readonly string[];
  /** Sentences: attributes that another program registered with another type. */
  readonly wrong: readonly string[];
}

/** Compares what is registered in a namespace with what Giro's workflows write. */
export async function checkSearchAttributes(
  connection: Connection,
  namespace: string,
): Promise<SearchAttributeCheck> {
  const { customAttributes, systemAttributes } = await connection.operatorService.listSearchAttributes({
    namespace,
  });
  return compare({ ...systemAttributes, ...customAttributes });
}

/** Pure part of `checkSearchAttributes`. */
function compare(registered: Registered): SearchAttributeCheck {
  const missing: string[] = [];
  const wrong: string[] = [];
  for (const [name, type] of Object.entries(SEARCH_ATTRIBUTES)) {
    const found = registered[name];
    if (found === undefined) missing.push(name);
    else if (found !== type) wrong.push(`${name} is ${typeWord(found)} and must be ${typeWord(type)}`);
  }
  return { missing, wrong };
}

/** Registers the named attributes; an existing one does no harm. */
export async function addSearchAttributes(
  connection: Connection,
  namespace: string,
  names: readonly string[],
): Promise<void> {
  const wanted = Object.entries(SEARCH_ATTRIBUTES).filter(([name]) => names.includes(name));
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(wanted),
  });
}

/** `GiroStatus (Keyword)`, for people who register them by hand. */
export const describeAttribute = (name: string): string =>
  `${name} (${typeWord(SEARCH_ATTRIBUTES[name as keyof typeof SEARCH_ATTRIBUTES])})`;

/** `INDEXED_VALUE_TYPE_KEYWORD` → `Keyword`, as other tools write it. */
function typeWord(type: temporal.api.enums.v1.IndexedValueType): string {
  const word = IndexedValueType[type].replace('INDEXED_VALUE_TYPE_', '').toLowerCase();
  return word.charAt(0).toUpperCase() + word.slice(1);
}
