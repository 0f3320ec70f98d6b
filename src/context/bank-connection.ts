import { parseBaseUrl } from '../bank/http/base-url';
import type { BankConnection } from '../bank/connection';
import type { RequestSigner } from '../bank/credentials/authorized-call';
import type { TlsMaterial } from '../bank/credentials/tls-material';
import { tokenSource } from './bank-tokens';
import type { TokenObserver } from './bank-tokens';
import { USER_AGENT, openTransport } from './bank-transport';
import type { BankConfig, BankSecrets } from '../config/bank';
import type { BankHmac } from '../config/bank-hmac';
import { loadBankTls } from '../config/bank-tls';
import type { BankTls } from '../config/bank-tls';
import { readSecretFile } from '../config/files';
import { accept, refuse } from '../config/formats';
import { watchFiles } from '../config/watch-files';
import { sign } from '../signing/signature-scheme';
import type { Logger } from '../telemetry/logger';

/** One for each activity that a worker can run at a time (`worker/options.ts`). */
const BANK_SOCKETS_MAX = 192;

/** Opens no socket before the first call; watches the files from now on. */
export function openBankConnection(
  config: BankConfig,
  secrets: BankSecrets,
  logger: Logger,
  tokenObserver: TokenObserver = {},
): BankConnection {
  const baseUrl = parseBaseUrl(config.baseUrl);
  const tls = watchTls(secrets.tls, logger);
  const transport = openTransport(baseUrl, tls.current, BANK_SOCKETS_MAX, logger);
  const tokens = tokenSource(secrets, tls.current, logger, tokenObserver);
  const signer = secrets.hmac === null ? null : hmacSigner(secrets.hmac, logger);
  return {
    ...{ baseUrl, transport, tls: tls.current },
    tokens: tokens.source,
    signer: signer?.sign ?? null,
    extraHeaders: secrets.headers,
    userAgent: USER_AGENT,
    async close() {
      await Promise.all([transport.close(), tokens.close()]);
      tls.close();
      signer?.close();
    },
  };
}

function watchTls({ files, material }: BankTls, logger: Logger) {
  if (Object.values(files).every((file) => file === null)) {
    return { current: (): TlsMaterial => material, close: () => undefined };
  }
  return watchFiles<TlsMaterial>({
    initial: material,
    read: () => {
      const load = loadBankTls(files, Date.now());
      return load.problems.length === 0
        ? accept(load.material)
        : refuse(load.problems.map(({ variable, reason }) => `${variable}: ${reason}`).join('; '));
    },
    onChange: () => logger.info('certificates and keys of the bank were read again: new calls use them'),
    onProblem: (reason) =>
      logger.error(
        { reason },
        'certificates and keys of the bank cannot be used as they are now; those before stay',
      ),
  });
}

function hmacSigner({ scheme, file, secret }: BankHmac, logger: Logger) {
  const watched = watchFiles({
    initial: secret,
    read: () => readSecretFile(file),
    onChange: () => logger.info('BANK_HMAC_SECRET_FILE was read again: new calls are signed with it'),
    onProblem: (reason) =>
      logger.error({ reason }, 'BANK_HMAC_SECRET_FILE cannot be read; the previous secret stays in force'),
  });
  const signer: RequestSigner = (request) => sign(scheme, watched.current(), request);
  return { sign: signer, close: () => watched.close() };
}
