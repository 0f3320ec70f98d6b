import { ConfigError } from '../../src/config/config-error';
import { loadSettings } from '../../src/config/settings';
import { meaningOf } from '../../src/domain/verification/status-map';

const read = (env: Record<string, string>) => loadSettings(env, ['verifications']).config.verifications;

function problemOf(env: Record<string, string>): string {
  try {
    read(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
  }
  return 'none';
}

test('the defaults are those of the contract', () => {
  expect(read({})).toEqual({
    settings: { pollMs: 60_000, pollMaxMs: 900_000, attentionAfterMs: 604_800_000 },
    statusMap: new Map([['pendiente', 'pending']]),
    keepsAnswers: false,
  });
});

test('a map of statuses, of which one may have an equals sign', () => {
  const { statusMap } = read({ KYC_STATUS_MAP: ' En revisión = pending,APROBADO=approved,a=b=rejected' });
  expect(meaningOf(statusMap, 'en revision')).toBe('pending');
  expect(meaningOf(statusMap, 'Aprobádo ')).toBe('approved');
  expect(meaningOf(statusMap, 'a=b')).toBe('rejected');
  expect(meaningOf(statusMap, 'Pendiente')).toBeNull();
});

test.each([
  ['Aprobado=approved, aprobádo =rejected', '"Aprobado" and "aprobádo" are one word with two meanings'],
  ['Pendiente=pending,Aprobado', 'entry 2 has no meaning'],
  ['Aprobado=Approved', 'entry 1 means none of pending, approved, rejected'],
  ['=approved', 'entry 1 has no word'],
  ['\u0301=approved', 'entry 1 has no word'],
  ['Pendiente=pending,', 'entry 2 has no meaning'],
  [`${'x'.repeat(41)}=pending`, 'entry 1 has a word of more than 40 characters'],
])('KYC_STATUS_MAP %j: %s', (text, problem) => {
  expect(problemOf({ KYC_STATUS_MAP: text })).toContain(problem);
});

test('two spellings with one meaning are one status', () => {
  expect(read({ KYC_STATUS_MAP: 'Aprobado=approved,APROBADO=approved' }).statusMap.size).toBe(1);
});

test.each([
  [{ KYC_STORE: 'encrypted' }, 'KYC_STORE is "encrypted": needs CODEC_KEYS_FILE, which is not set'],
  [{ KYC_STORE: 'clear' }, 'KYC_STORE is "clear": not one of the allowed values'],
  [{ POLL_KYC: '1ms' }, 'POLL_KYC is "1ms": shorter than 1s'],
  [{ POLL_KYC: '10m', POLL_KYC_MAX: '5m' }, 'POLL_KYC_MAX is "5m": shorter than POLL_KYC'],
  [{ ATTENTION_AFTER_KYC: '7' }, 'ATTENTION_AFTER_KYC is "7": has no unit'],
])('%j is refused', (env, problem) => {
  expect(problemOf(env)).toContain(problem);
});

test('POLL_KYC may be longer than the default of POLL_KYC_MAX', () => {
  expect(read({ POLL_KYC: '1h' }).settings.pollMs).toBe(3_600_000);
});
