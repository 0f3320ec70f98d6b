import { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';

const { IndexedValueType } = temporal.api.enums.v1;

/** Contract: what a transfer and a verification are found by in Temporal. */
const SEARCH_ATTRIBUTES = {
  GiroStatus: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  GiroOriginId: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  GiroMovementId: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  GiroNetworkId: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  GiroAttentionReason: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  GiroKycStatus: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  GiroNeedsAttention: IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
  GiroOpenedAt: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
};

export async function registerSearchAttributes(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await connection.operatorService.addSearchAttributes({
      namespace: 'default',
      searchAttributes: SEARCH_ATTRIBUTES,
    });
  } finally {
    await connection.close();
  }
}
