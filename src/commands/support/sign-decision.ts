import { spawn } from 'node:child_process';
import type { DecisionToSign, GiroClient } from '../../client/giro-client';
import type { DecisionRequest } from '../../domain/transfer/decisions/decision';
import {
  DECISION_SIGNATURE_NAMESPACE,
  readDecisionLine,
} from '../../domain/transfer/decisions/decision-line';
import type { SignedStatement } from '../../domain/transfer/decisions/decision-line';
import { InputError } from '../../program/exit-codes';
import type { CommandIo } from '../../program/io';
import { readInputText } from './input/read-text';

export interface SigningOptions {
  /** Key to sign with at once. */
  readonly key?: string;
  /** Print instead of deciding. */
  readonly print?: boolean;
  /** Print as the JSON of the update. */
  readonly asUpdate?: boolean;
  /** Files with a printed line and its signature. */
  readonly line?: string;
  readonly signature?: string;
}

/** @throws InputError options that do not go together */
export function checkSigning({ key, print, asUpdate, line, signature }: SigningOptions): void {
  if ((line === undefined) !== (signature === undefined))
    throw new InputError('--line and --signature go together: what was signed, and its signature');
  if (key !== undefined && line !== undefined) throw new InputError('--key signs anew: leave out --line');
  if (asUpdate === true && print !== true) throw new InputError('--as-update belongs to --print');
  if (print === true && asUpdate !== true && (key !== undefined || line !== undefined))
    throw new InputError('--print shows the line to sign: leave out --key and --line, or add --as-update');
}

type Decision = Pick<DecisionRequest, 'action' | 'operator' | 'reason'>;

/** The decision, signed as the options say; without options, unsigned. */
export async function signedDecision(
  giro: GiroClient,
  originId: number,
  decision: Decision,
  { key, line, signature }: SigningOptions,
  io: CommandIo,
): Promise<DecisionRequest> {
  if (line !== undefined && signature !== undefined) {
    const {
      namespace: _namespace,
      orderSha256: _order,
      ...said
    } = agreeing(await readInputText(line, io.stdin), {
      ...decision,
      originId,
      reason: decision.reason.trim(),
    });
    return { ...said, signature: await readInputText(signature, io.stdin) };
  }
  if (key === undefined) return decision;
  const toSign = await giro.decisionToSign(originId, decision);
  return { ...toSign.decision, signature: await signWithKey(toSign, key) };
}

/** The line must be about the same decision as the command's options. */
function agreeing(text: string, decision: Decision & { readonly originId: number }): SignedStatement {
  const said = readDecisionLine(text);
  if (said === null) throw new InputError('the file of --line is not a line of --print, with its line feed');
  for (const name of ['originId', 'action', 'operator', 'reason'] as const) {
    if (said[name] !== decision[name]) throw new InputError(`the line of --line has another ${name}`);
  }
  return said;
}

/**
 * Signs with OpenSSH's program, which supports passphrases, agents (give the public key's file) and hardware keys, and
 * asks on the terminal. This process never sees a private key.
 */
async function signWithKey({ line }: DecisionToSign, key: string): Promise<string> {
  const asked = ['-Y', 'sign', '-f', key, '-n', DECISION_SIGNATURE_NAMESPACE];
  const child = spawn('ssh-keygen', asked, { stdio: ['pipe', 'pipe', 'inherit'] });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  // The program may end before it has read the line.
  child.stdin.on('error', () => undefined);
  child.stdin.end(line);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  }).catch(() => {
    throw new InputError('ssh-keygen cannot be run: install OpenSSH’s client, or sign the line of --print');
  });
  if (code !== 0) throw new InputError(`ssh-keygen made no signature with ${key}`);
  return Buffer.concat(chunks).toString('latin1');
}
