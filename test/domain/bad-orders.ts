import type { OrderIssue } from '../../src/domain/order-validation';
import { PROOF_RULE } from '../../src/domain/order-proof';
import { GOOD_ORIGIN_ID, orderJson } from './order-json';
import type { OrderChanges } from './order-json';

/**
 * Orders that are refused under `DEFAULT_ORDER_LIMITS`, each with its exact errors. The table serves every way in: the
 * validation itself, the command (`json` is its input; wrap it in a list) and a Temporal client (parse `json`; all
 * values survive `JSON.stringify`).
 */
export interface BadOrder {
  readonly name: string;
  readonly json: string;
  readonly issues: readonly OrderIssue[];
}

/** The workflow id with which a run of this order has no other error. */
export const workflowIdOf = ({ issues }: BadOrder): string =>
  issues.some(({ path }) => path === 'originId' || path === '')
    ? 'transfer-unreadable'
    : `transfer-${GOOD_ORIGIN_ID}`;

type Told = Readonly<Record<string, string>>;

const REQUIRED = 'is required';
const STRING = 'must be a string';
const OBJECT = 'must be a JSON object';
const INTEGER = 'must be a JSON integer';
const ACCOUNT = 'must be a CBU or CVU of 22 digits';
const ACCOUNT_DIGIT = 'has a wrong check digit (CBU/CVU)';
const TAX_ID = 'must be a CUIT or CUIL of 11 digits';
const TAX_ID_DIGIT = 'has a wrong check digit (CUIT/CUIL)';
const ALIAS = 'is an alias, which this bank does not accept; give the CBU or CVU of 22 digits';
const DECIMAL = 'must be a decimal string without exponent, such as "1500.25", or a JSON number';
const SIGNIFICANT = 'as a JSON number may have at most 15 significant digits; write it as a string';
const CONCEPT = 'must be one of ALQ, CUO, EXP, FAC, PRE, SEG, HON, HAB, VAR (CONCEPTS)';
const CONTROL = 'may not contain control characters or line breaks';
const UNKNOWN = 'is not a field of an order';
const HIDDEN = '(a field whose name is not shown)';

const bad = (name: string, changes: OrderChanges, told: Told): BadOrder =>
  raw(name, orderJson(changes), told);

const raw = (name: string, json: string, told: Told): BadOrder => ({
  name,
  json,
  issues: Object.entries(told).map(([path, rule]) => ({ path, rule })),
});

/** One field with one error. */
const field = (path: string, json: string | null, rule: string): BadOrder =>
  bad(`${path} ${json === null ? 'absent' : `= ${json.slice(0, 40)}`}`, { [path]: json }, { [path]: rule });

const added = (parent: string, members: string, ...paths: readonly string[]): BadOrder =>
  bad(
    `${parent} and ${members.slice(0, 40)}`,
    { [parent]: members },
    Object.fromEntries(paths.map((path) => [path, UNKNOWN])),
  );

const ROOTS: readonly BadOrder[] = [
  bad('a proof that is none', { '+': '"proof":"signed"' }, { proof: PROOF_RULE }),
  bad('a proof that is null', { '+': '"proof":null' }, { proof: PROOF_RULE }),
  ...['null', '"an order"', '4711', 'true', '[]', `[${orderJson()}]`].map((json) =>
    raw(`the order is ${json.slice(0, 20)}`, json, { '': OBJECT }),
  ),
  raw('the order is empty', '{}', { originId: REQUIRED, from: REQUIRED, to: REQUIRED, body: REQUIRED }),
];

const ORIGIN_IDS: readonly BadOrder[] = [
  field('originId', null, REQUIRED),
  field('originId', 'null', REQUIRED),
  field('originId', '"4711"', INTEGER),
  field('originId', '4711.5', INTEGER),
  field('originId', 'true', INTEGER),
  field('originId', '[4711]', INTEGER),
  field('originId', '0', 'must be at least 1 (ORIGIN_ID_MIN)'),
  field('originId', '-4711', 'must be at least 1 (ORIGIN_ID_MIN)'),
  field('originId', '-1e30', 'must be at least 1 (ORIGIN_ID_MIN)'),
  field('originId', '9007199254740992', 'must be at most 9007199254740991'),
  field('originId', '1e21', 'must be at most 9007199254740991'),
];

const PARTIES: readonly BadOrder[] = [
  field('from', null, REQUIRED),
  field('to', 'null', REQUIRED),
  field('from', '"0009001600000000000017"', OBJECT),
  field('to', '[]', OBJECT),
  bad(
    'from is empty',
    { from: '{}' },
    { 'from.addressType': REQUIRED, 'from.address': REQUIRED, 'from.owner': REQUIRED },
  ),
  field('from.addressType', '"CBU"', 'must be "CBU_CVU"'),
  field('to.addressType', '"cbu_cvu"', 'must be "CBU_CVU"'),
  field('to.addressType', 'null', REQUIRED),
  field('from.address', null, REQUIRED),
  field('from.address', '9001600000000000017', STRING),
  field('from.address', '""', ACCOUNT),
  field('from.address', '"000900160000000000001"', ACCOUNT),
  field('to.address', '"9990001800000000000017 9"', ACCOUNT),
  field('to.address', '"99900018.00000000000017"', ACCOUNT),
  field('from.address', '"0009001600000000000018"', ACCOUNT_DIGIT),
  field('to.address', '"9990001900000000000017"', ACCOUNT_DIGIT),
  field('to.address', '"mi.alias.banco"', ALIAS),
  field('from.address', '"0000000000000000000000"', 'must be the number of an account, not 22 zeros'),
  field('to.address', '"00090016-00000000000017"', 'must differ from from.address'),
  field('from.owner', null, REQUIRED),
  field('to.owner', '"20218346414"', OBJECT),
  field('from.owner.personIdType', '"CUIT"', 'must be "CUI"'),
  field('to.owner.personIdType', null, REQUIRED),
  field('from.owner.personId', '30714979732', STRING),
  field('from.owner.personId', '"3071497973"', TAX_ID),
  field('to.owner.personId', '"20.21834641.4"', TAX_ID),
  field('to.owner.personId', '"20123456789"', TAX_ID_DIGIT),
  field('from.owner.personId', '"27334312758"', TAX_ID_DIGIT),
];

const BODIES: readonly BadOrder[] = [
  field('body', null, REQUIRED),
  field('body', '"1500.25"', OBJECT),
  bad(
    'body is empty',
    { body: '{}' },
    { 'body.currencyId': REQUIRED, 'body.amount': REQUIRED, 'body.concept': REQUIRED },
  ),
  field('body.currencyId', '32', 'must be the text "032", not a number'),
  field('body.currencyId', '"ARS"', 'must be "032"'),
  field('body.currencyId', '"840"', 'must be "032"'),
  field('body.amount', null, REQUIRED),
  field('body.amount', 'null', REQUIRED),
  field('body.amount', 'true', DECIMAL),
  field('body.amount', '{"value":"1500.25"}', DECIMAL),
  field('body.amount', '""', DECIMAL),
  field('body.amount', '"1500,25"', DECIMAL),
  field('body.amount', '"1.5e3"', DECIMAL),
  field('body.amount', '"+1500.25"', DECIMAL),
  field('body.amount', '" 1500.25"', DECIMAL),
  field('body.amount', '"007.50"', DECIMAL),
  field('body.amount', '0.30000000000000004', SIGNIFICANT),
  field('body.amount', '9007199254740993', SIGNIFICANT),
  field('body.amount', '"1500.255"', 'may have at most two decimals'),
  field('body.amount', '"1500.2500"', 'may have at most two decimals'),
  field('body.amount', '1500.255', 'may have at most two decimals'),
  field('body.amount', '"0.00"', 'must be greater than zero'),
  field('body.amount', '0', 'must be greater than zero'),
  field('body.amount', '-1500.25', 'must be greater than zero'),
  field('body.amount', '"10000000000000.00"', 'may have at most 13 integer digits'),
  field('body.amount', '1e21', 'may have at most 13 integer digits'),
  field('body.description', 'null', STRING),
  field('body.description', '17', STRING),
  field(
    'body.description',
    JSON.stringify('ñ'.repeat(101)),
    'may have at most 100 characters (DESCRIPTION_MAX)',
  ),
  field('body.description', '"Factura\\n17"', CONTROL),
  field('body.description', '"Factura\\u000017"', CONTROL),
  field('body.description', '"Factura \\ud83d 17"', 'is not well-formed Unicode text'),
  field('body.concept', null, REQUIRED),
  field('body.concept', '""', CONCEPT),
  field('body.concept', '"fac"', CONCEPT),
  field('body.concept', '"XYZ"', CONCEPT),
  field('body.concept', '["FAC"]', STRING),
];

const MANY_NAMES = Array.from('abcdefghijklmnopqrst', (letter) => `field_${letter}`);

const UNKNOWN_FIELDS: readonly BadOrder[] = [
  added('+', '"reference_":"x"', 'reference_'),
  added('+', '"monto":1,"importe_2":2', 'monto', 'importe_2'),
  added('+', '"dirección":"Av. Siempreviva"', 'dirección'),
  added('from.+', '"alias":"mi.alias.banco"', 'from.alias'),
  added('to.owner.+', '"personName":"Juan Pérez"', 'to.owner.personName'),
  added('body.+', '"currency":"032"', 'body.currency'),
  added('body.+', '"Amount":"1"', 'body.Amount'),
  added('+', '"20218346414":true', HIDDEN),
  added('to.+', '"Juan Pérez":true', `to.${HIDDEN}`),
  added('+', '"from.address":"0009001600000000000017"', HIDDEN),
  added('+', '"__proto__":{"originId":1}', '__proto__'),
  added(
    'from.+',
    '"__proto__":{},"constructor":{},"toString":1',
    'from.__proto__',
    'from.constructor',
    'from.toString',
  ),
  bad(
    'more unknown fields than are named',
    {
      'body.+': [...MANY_NAMES, ...MANY_NAMES.map((name) => `${name}z`)]
        .map((name) => `"${name}":0`)
        .join(','),
    },
    {
      ...Object.fromEntries(MANY_NAMES.map((name) => [`body.${name}`, UNKNOWN])),
      'body.(20 more fields)': 'are not fields of an order',
    },
  ),
];

const SEVERAL: readonly BadOrder[] = [
  bad(
    'everything wrong at once',
    {
      '+': '"memo":""',
      originId: '"x"',
      'from.addressType': '"ALIAS"',
      'from.address': '"mi.alias.banco"',
      'from.owner.personIdType': 'null',
      'from.owner.personId': '"20123456789"',
      'from.owner.+': '"name":"Juan"',
      'to.+': '"bank":"007"',
      'to.address': 'null',
      'to.owner': '{}',
      'body.currencyId': '32',
      'body.amount': '"-1"',
      'body.description': '{}',
      'body.concept': '"fac"',
    },
    {
      memo: UNKNOWN,
      originId: INTEGER,
      'from.addressType': 'must be "CBU_CVU"',
      'from.address': ALIAS,
      'from.owner.name': UNKNOWN,
      'from.owner.personIdType': REQUIRED,
      'from.owner.personId': TAX_ID_DIGIT,
      'to.bank': UNKNOWN,
      'to.address': REQUIRED,
      'to.owner.personIdType': REQUIRED,
      'to.owner.personId': REQUIRED,
      'body.currencyId': 'must be the text "032", not a number',
      'body.amount': 'must be greater than zero',
      'body.description': STRING,
      'body.concept': CONCEPT,
    },
  ),
  bad(
    'one account to itself, in a body that is wrong too',
    { 'to.address': '"0009001600000000000017"', 'body.concept': 'null' },
    { 'to.address': 'must differ from from.address', 'body.concept': REQUIRED },
  ),
  bad(
    'the whole order one level too deep',
    { originId: null, from: null, to: null, body: null, '+': `"order":${orderJson()}` },
    { order: UNKNOWN, originId: REQUIRED, from: REQUIRED, to: REQUIRED, body: REQUIRED },
  ),
];

export const BAD_ORDERS: readonly BadOrder[] = [
  ...ROOTS,
  ...ORIGIN_IDS,
  ...PARTIES,
  ...BODIES,
  ...UNKNOWN_FIELDS,
  ...SEVERAL,
];
