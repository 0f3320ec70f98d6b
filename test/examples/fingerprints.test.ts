import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../dev/package-root';
import { NO_ORDER_LIMITS } from '../../src/domain/order';
import { orderFingerprint } from '../../src/domain/order-fingerprint';
import { validateOrder } from '../../src/domain/order-validation';
import { orderOf } from '../e2e/environment';

/** The fingerprints of the examples in other languages are those of Giro. What is not here is left out; Go's has a test of its own. */
const EXAMPLES = join(packageRoot, 'examples');
const PYTHON = `import json, sys; sys.path.insert(0, sys.argv[1])
from order_sha256 import order_sha256
print(order_sha256(json.load(open(sys.argv[2], encoding="utf-8"))))`;
const works = (command: string) => spawnSync(command, ['--version']).status === 0;

const PROGRAMS = [
  {
    name: 'Python',
    isThere: works('python3'),
    run: (file: string) => ['python3', '-B', '-c', PYTHON, join(EXAMPLES, 'python'), file],
  },
  {
    name: 'jq',
    isThere: works('jq') && spawnSync('openssl', ['version']).status === 0,
    run: (file: string) => [join(EXAMPLES, 'curl/order-sha256.sh'), file],
  },
];

const order = orderOf(4711, 'Factura 17');
const withBody = (change: object) => ({ ...order, body: { ...order.body, ...change } });
const { description: _, ...bare } = order.body;
const ORDERS: readonly (readonly [string, object])[] = [
  ['as in the README', order],
  ['no decimals', withBody({ amount: '7' })],
  ['one decimal', withBody({ amount: '7.5' })],
  ['a number', withBody({ amount: 1500.25 })],
  ['a whole number', withBody({ amount: 1000 })],
  ['13 integer digits', withBody({ amount: '9999999999999.99' })],
  ['no description', { ...order, body: bare }],
  ['letters that are not ASCII', withBody({ description: 'Señal de mañana № 5 – 💶 \u2028' })],
  ['quotes, backslashes, angle brackets', withBody({ description: String.raw`"a\b" <c> & 'd' / e` })],
  [
    'spaced and dashed digits',
    {
      ...order,
      from: {
        ...order.from,
        address: '00090016 00000000000017',
        owner: { personIdType: 'CUI', personId: '30-71497973-2' },
      },
    },
  ],
];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'giro-fingerprints-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

for (const { name, isThere, run } of PROGRAMS) {
  (isThere ? test : test.skip).each(ORDERS)(`${name}: %s`, (_name, input) => {
    const read = validateOrder(input, NO_ORDER_LIMITS);
    if (!read.ok) throw new Error('the test order is invalid');
    const file = join(folder, 'order.json');
    writeFileSync(file, JSON.stringify(input));
    const [command = '', ...args] = run(file);
    const { stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
    expect([stdout.trim(), stderr]).toEqual([orderFingerprint(read.order), '']);
  });
}
