import { readAllowedSigners, signersOf } from '../../src/decisions/allowed-signers';
import type { AllowedSigner } from '../../src/decisions/allowed-signers';
import { makeKey, makeKeys } from '../../dev/made-ssh-keys';

const key = makeKey();
const ecdsa = makeKey('ecdsa-sha2-nistp256');
const KEY = `${key.type} ${key.base64}`;

function read(text: string): readonly AllowedSigner[] {
  const found = readAllowedSigners(text);
  if (!found.ok) throw new Error(found.reason);
  return found.signers;
}

const EVER = { namespaces: null, validAfterMs: null, validBeforeMs: null };

it('reads principals, options and keys of every kind that counts', () => {
  const keys = makeKeys();
  const text = keys.map(({ type, base64 }, i) => `op${i} ${type} ${base64} a comment`).join('\r\n');
  expect(read(text)).toEqual(
    keys.map(({ fingerprint }, i) => ({ line: i + 1, principals: [`op${i}`], ...EVER, fingerprint })),
  );
  const options = 'namespaces="git,giro-decision",valid-after="20260101Z",VALID-BEFORE="202602031405Z"';
  expect(read(`# operators\n\n \t\n ana,ANA ${options} ${KEY}\n`)).toEqual([
    {
      line: 4,
      principals: ['ana', 'ANA'],
      namespaces: ['git', 'giro-decision'],
      validAfterMs: Date.UTC(2026, 0, 1),
      validBeforeMs: Date.UTC(2026, 1, 3, 14, 5),
      fingerprint: key.fingerprint,
    },
  ]);
  expect(read(`ana valid-before="20260203140506Z" ${KEY}`)).toMatchObject([
    { validBeforeMs: Date.UTC(2026, 1, 3, 14, 5, 6) },
  ]);
});

it('finds the lines of an operator with a key, without case', () => {
  const signers = read(`ana ${KEY}\nluis ${ecdsa.type} ${ecdsa.base64}\nANA namespaces="git" ${KEY}`);
  const { fingerprint } = key;
  expect(signersOf(signers, { operator: 'Ana', fingerprint }).map(({ line }) => line)).toEqual([1, 3]);
  expect(signersOf(signers, { operator: 'an', fingerprint })).toEqual([]);
  expect(signersOf(signers, { operator: 'ana', fingerprint: makeKey().fingerprint })).toEqual([]);
});

const rsa = 'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAQQC7';

it.each([
  ['', 'lists nobody'],
  ['# nobody yet\n', 'lists nobody'],
  [`ana ${KEY}\n*@bank.ar ${KEY}`, 'in line 2: a principal is a pattern'],
  [`ana,luis ${KEY}`, 'in line 1: the key is listed for two operators'],
  [
    `ana ${KEY}\nluis valid-after="20260101Z" ${KEY} of luis`,
    'in line 2: the key is listed for two operators',
  ],
  [`!ana,* ${KEY}`, 'in line 1: a principal is a pattern'],
  [`an? ${KEY}`, 'in line 1: a principal is a pattern'],
  [`añá ${KEY}`, 'in line 1: a principal must be 1 to 100 characters of A-Za-z0-9._@+-'],
  [`"ana" ${KEY}`, 'in line 1: a principal must be 1 to 100 characters'],
  [`ana, ${KEY}`, 'in line 1: a principal must be 1 to 100 characters'],
  [`ana cert-authority ${KEY}`, 'in line 1: certificates are not taken'],
  [`ana cert-authority ${rsa}`, 'in line 1: certificates are not taken'],
  [`ana no-touch-required ${KEY}`, 'in line 1: an option is none of namespaces, valid-after, valid-before'],
  [`ana namespaces="giro-decision",verify-required ${KEY}`, 'in line 1: an option is none of'],
  [`ana namespaces="giro-*" ${KEY}`, 'in line 1: namespaces must be literal names'],
  [`ana namespaces="" ${KEY}`, 'in line 1: namespaces must be literal names'],
  [`ana namespaces="a",namespaces="b" ${KEY}`, 'in line 1: option namespaces is there twice'],
  [`ana namespaces="giro-decision ${KEY}`, 'in line 1: a quote is not closed'],
  [`ana valid-after="20260101" ${KEY}`, 'in line 1: valid-after must be a time in UTC'],
  [`ana valid-before="20260230Z" ${KEY}`, 'in line 1: valid-before must be a time in UTC'],
  [`ana valid-before="2026-02-03T00:00:00Z" ${KEY}`, 'in line 1: valid-before must be a time in UTC'],
  [`ana valid-after="20260102Z",valid-before="20260101Z" ${KEY}`, 'valid-before is not after valid-after'],
  [`ana ${rsa}`, 'in line 1: the key is none of ssh-ed25519, ecdsa-sha2-nistp256,'],
  ['ana', 'in line 1: the key is none of'],
  [`ana ${key.type}`, 'in line 1: the line ends too early'],
  [`ana ${key.type} ${key.base64}AAAA`, 'in line 1: the line has bytes after its end'],
  [`ana ${key.type} !${key.base64}`, 'in line 1: the key is not base64'],
  [`ana ${key.type} ${ecdsa.base64}`, 'in line 1: the key is said to be ssh-ed25519, and is ecdsa-sha2'],
])('%j is not taken', (text, reason) => {
  const found = readAllowedSigners(text);
  expect(found.ok ? found.signers : found.reason).toContain(reason);
});
