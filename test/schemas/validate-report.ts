import { readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

const FILE = path.join(__dirname, '../../docs/schemas/reconciliation-report.schema.json');
const published = addFormats(new Ajv({ strict: true, allErrors: true })).compile(
  JSON.parse(readFileSync(FILE, 'utf8')) as object,
);

/** What is wrong with a reconciliation's report by the published schema; null: nothing. */
export const problemOfReport = (report: unknown): string | null =>
  published(report) ? null : JSON.stringify(published.errors);
