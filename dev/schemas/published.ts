import { z } from 'zod';
import { checkResult, startedTransfer, transferReport } from './commands';
import { event } from './event';
import { transferOrder, transferOrderByReference } from './order';
import { reconciliationRequest, reconciliationResult } from './reconciliation';
import { recoveryResult } from './recovery';
import { decisionAnswer, decisionRequest, movementHint, transferResult, transferState } from './transfer';
import { verificationHint, verificationRequest, verificationResult, verificationState } from './verification';

/** Raised when a valid document becomes invalid; see docs/schemas/README.md. */
const SCHEMAS_VERSION = 1;

/** Inputs: Giro refuses an unknown field, and so does the schema. */
const INPUTS = {
  'transfer-order': transferOrder,
  'transfer-order-by-reference': transferOrderByReference,
  'movement-hint': movementHint,
  'decision-request': decisionRequest,
  'verification-request': verificationRequest,
  'verification-hint': verificationHint,
  'reconciliation-request': reconciliationRequest,
} as const;

/** Outputs: a later version may add fields, so the published schema allows unknown fields. */
const OUTPUTS = {
  'transfer-result': transferResult,
  'transfer-state': transferState,
  'decision-answer': decisionAnswer,
  'verification-result': verificationResult,
  'verification-state': verificationState,
  event,
  'reconciliation-result': reconciliationResult,
  'recovery-result': recoveryResult,
  'started-transfer': startedTransfer,
  'transfer-report': transferReport,
  'doctor-finding': checkResult,
} as const;

export const SCHEMAS = { ...INPUTS, ...OUTPUTS };
export type SchemaName = keyof typeof SCHEMAS;
export const SCHEMA_NAMES = Object.keys(SCHEMAS) as SchemaName[];

export const schemaFile = (name: SchemaName): string => `docs/schemas/${name}.schema.json`;

/** The text of `schemaFile(name)`: JSON Schema, draft 2020-12. */
export function schemaText(name: SchemaName): string {
  const { $schema, ...schema } = z.toJSONSchema(SCHEMAS[name], {
    override: ({ jsonSchema }) => {
      if (name in OUTPUTS && jsonSchema.additionalProperties === false)
        delete jsonSchema.additionalProperties;
    },
  });
  const id = `urn:giro:schema:${SCHEMAS_VERSION}:${name}`;
  return `${JSON.stringify({ $schema, $id: id, ...schema }, null, 2)}\n`;
}
