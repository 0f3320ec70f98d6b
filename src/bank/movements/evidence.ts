import { createHash } from 'node:crypto';
import type { AnswerBody } from '../http/answer-body';
import { readMovement } from './movement-schema';
import type { Evidence } from './port';

/** The Movement in an answer's body, with the hash of the bytes as they stood on the wire; null when there is none. */
export function readEvidence(body: AnswerBody, wireBytes: Uint8Array): Evidence | null {
  const movement = body.kind === 'json' ? readMovement(body.value) : null;
  return movement === null
    ? null
    : { movement, evidenceSha256: createHash('sha256').update(wireBytes).digest('hex') };
}
