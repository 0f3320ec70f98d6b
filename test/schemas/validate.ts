import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { SCHEMAS, schemaText } from '../../dev/schemas/published';
import type { SchemaName } from '../../dev/schemas/published';

const ajv = addFormats(new Ajv({ strict: true, allErrors: true }));

/**
 * What is wrong with a document; null: nothing. Checks the published schema, and its stricter source, which allows no
 * unnamed field.
 */
export function validate(name: SchemaName, document: unknown): string | null {
  const schema = JSON.parse(schemaText(name)) as { $id: string };
  const published = ajv.getSchema(schema.$id) ?? ajv.compile(schema);
  if (published(document) !== true) return `schema: ${ajv.errorsText(published.errors)}`;
  const exact = SCHEMAS[name].safeParse(document);
  return exact.success ? null : `code: ${exact.error.message}`;
}
