import { readFileSync } from 'node:fs';
import { testServers } from '../support/servers';

/** The code in the bundle that applies an event: once for transfers, once for verifications. */
const TAKEN_IN = /(?:if \(event !== null\)\s+)?dispatch\(event\);/g;

/** The workflow bundle in which `bug`, a statement, comes before each event is applied. */
export function bundleWith(bug: string): { readonly code: string } {
  const code = readFileSync(testServers().workflowBundlePath, 'utf8');
  expect(code.match(TAKEN_IN)).toHaveLength(2);
  return { code: code.replace(TAKEN_IN, (found) => `${bug} ${found}`) };
}
