/**
 * Redaction by key: fields whose value is secret or personal, at any depth and in any spelling (`personId`,
 * `person_id`, `Person-Id`).
 */
const SENSITIVE: ReadonlySet<string> = new Set([
  ...[
    'authorization',
    'proxyauthorization',
    'cookie',
    'setcookie',
    'headers',
    'credentials',
    'tokens',
    'secrets',
  ],
  ...['databaseurl', 'connectionstring', 'pem', 'hmac', 'proof'],
  ...[
    'address',
    'owner',
    'owners',
    'counterparty',
    'thissubaccount',
    'accountrouting',
    'accounts',
    'fromaccounts',
    'toaccounts',
  ],
  ...[
    'personid',
    'personids',
    'personname',
    'persontype',
    'legalreason',
    'legalidnumber',
    'taxnumber',
    'fullname',
  ],
  ...[
    'surname',
    'phone',
    'email',
    'birthdate',
    'requesterperson',
    'requestedperson',
    'controllers',
    'documentdata',
  ],
  ...['body', 'rawbody', 'requestbody', 'description', 'cause', 'evidence'],
]);

const SENSITIVE_ENDINGS = /(?:token|secret|secretkey|password|passphrase|apikey|privatekey|signature)$/;

/**
 * Fields that HTTP clients attach to their errors, and Temporal's payloads; as ordinary words these names are
 * harmless.
 */
const SENSITIVE_OBJECTS: ReadonlySet<string> = new Set([
  ...['config', 'request', 'response', 'socket'],
  ...['payload', 'payloads', 'arguments', 'args', 'input', 'data'],
]);

/** Our ids, and those of the bank, the network and Temporal, one or many: not personal, and useless when redacted. */
const IDS: ReadonlySet<string> = new Set([
  ...['originid', 'movementid', 'networkid', 'debinid', 'annulmentid', 'requestnumber'],
  ...['girooriginid', 'giromovementid', 'gironetworkid'],
  ...[
    'workflowid',
    'runid',
    'firstexecutionrunid',
    'originalrunid',
    'activityid',
    'ordersha256',
    'evidencesha256',
  ],
]);

/** Quantities may have eleven digits. */
const QUANTITY_ENDINGS = /(?:Ms|Ns|Nanos|Micros|Bytes|Count|Minor)$/;

const fold = (key: string): string => key.replace(/[-_ .]/g, '').toLowerCase();

export function isSensitiveKey(key: string, value: unknown): boolean {
  // A boolean or null has nothing to hide.
  if (value === null || value === undefined || typeof value === 'boolean') return false;
  const folded = fold(key);
  if (SENSITIVE_OBJECTS.has(folded)) return typeof value === 'object';
  return SENSITIVE.has(folded) || SENSITIVE_ENDINGS.test(folded);
}

/** Whether digits in this field's value, in any number, are an id or a quantity. */
export function keepsDigits(key: string, value: string | number | bigint): boolean {
  if (IDS.has(fold(key).replace(/s$/, '')))
    return typeof value !== 'string' || /^[A-Za-z0-9_:.-]{1,255}$/.test(value);
  return typeof value !== 'string' && QUANTITY_ENDINGS.test(key);
}
