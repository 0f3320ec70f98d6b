import { parseBaseUrl } from './bank/base-url';
import type { BankConnection } from './bank/connection';
import { createHttpTransport } from './bank/http-transport';
import type { RequestSigner } from './bank/request-signer';
import type { TlsMaterial, TlsSource } from './bank/tls-material';
import { createTokenService } from './bank/token-service';
import type { TokenServiceNotice } from './bank/token-service';
import { fileToken, staticToken } from './bank/token-source';
import type { TokenSource } from './bank/token-source';
import { readTokenFile, readTokenRequest } from './config/bank-token';
import type { BankTokenSource } from './config/bank-token';
import type { BankConfig, BankSecrets } from './config/bank';
import type { BankHmac } from './config/bank-hmac';
import { loadBankTls } from './config/bank-tls';
import type { BankTls } from './config/bank-tls';
import { readSecretFile } from './config/files';
import { accept, refuse } from './config/parsers';
import { watchFiles } from './config/watch-files';
import { signRequest } from './signing/hmac';
import type { Logger } from './telemetry/logger';
import { VERSION } from './version';

/** Calls of a worker's activities (see `worker-limits.ts`) plus room for its retries of the token. */
const BANK_SOCKETS_MAX = 192;
/** Of one request for a token; those who wait for it have deadlines of their own. */
const TOKEN_TIMEOUT_MS = 10_000;
const USER_AGENT = `giro/${VERSION}`;

/**
 * Opens nothing yet: sockets come with the first call, files are watched from now on. `onTokenFailure` gets the word
 * that the log has, too.
 */
export function openBankConnection(
  config: BankConfig,
  secrets: BankSecrets,
  logger: Logger,
  onTokenFailure: (failure: string) => void = () => undefined,
): BankConnection {
  const baseUrl = parseBaseUrl(config.baseUrl);
  const tls = watchTls(secrets.tls, logger);
  const transport = createHttpTransport({ baseUrl, tls: tls.current, maxSockets: BANK_SOCKETS_MAX });
  const tokens = tokenSource(secrets, tls.current, logger, onTokenFailure);
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
      logger.error({ reason }, 'BANK_HMAC_SECRET_FILE cannot be read; the secret before stays'),
  });
  const sign: RequestSigner = (request) => signRequest(scheme, watched.current(), request);
  return { sign, close: () => watched.close() };
}

type Closable = { readonly source: TokenSource; readonly close: () => Promise<void> };

function tokenSource(
  { token, headers }: BankSecrets,
  tls: TlsSource,
  logger: Logger,
  onFailure: (failure: string) => void,
): Closable {
  const nothing = () => Promise.resolve();
  switch (token.kind) {
    case 'static':
      return { source: staticToken(token.token), close: nothing };
    case 'file': {
      const read = (): string => {
        const file = readTokenFile(token.file);
        if (!file.ok) throw new Error(file.reason);
        return file.value;
      };
      const onProblem = (reason: string) =>
        logger.error({ reason }, 'BANK_TOKEN_FILE holds no usable token: nothing is sent');
      return { source: fileToken(read, onProblem), close: nothing };
    }
    case 'service':
      return tokenService(token, headers, tls, logger, onFailure);
  }
}

function tokenService(
  service: Extract<BankTokenSource, { kind: 'service' }>,
  headers: BankSecrets['headers'],
  tls: TlsSource,
  logger: Logger,
  onFailure: (failure: string) => void,
): Closable {
  const url = new URL(service.url);
  const transport = createHttpTransport({ baseUrl: parseBaseUrl(url.origin), tls, maxSockets: 1 });
  const contentType =
    service.requestType === 'json' ? 'application/json' : 'application/x-www-form-urlencoded';
  const source = createTokenService({
    ...service,
    request: () => {
      const body =
        service.requestFile === null
          ? accept('')
          : readTokenRequest(service.requestFile, service.requestType);
      if (!body.ok) {
        logger.error({ reason: body.reason }, 'BANK_TOKEN_REQUEST_FILE cannot be used');
        return Promise.reject(new Error(body.reason));
      }
      return transport.send({
        method: 'POST',
        path: url.pathname + url.search,
        headers: {
          ...headers,
          'User-Agent': USER_AGENT,
          'Content-Type': contentType,
          Accept: 'application/json',
        },
        body: Buffer.from(body.value),
        timeoutMs: TOKEN_TIMEOUT_MS,
      });
    },
    onNotice: (notice) => {
      tellToken(notice, logger);
      if (notice.kind === 'failed') {
        const { failure, httpStatus } = notice;
        onFailure(httpStatus === null ? failure : `${failure} ${httpStatus}`);
      }
    },
  });
  return { source, close: () => transport.close() };
}

function tellToken(notice: TokenServiceNotice, logger: Logger): void {
  if (notice.kind === 'failed') {
    const { failure, httpStatus, retryInMs } = notice;
    logger.error({ failure, httpStatus, retryInMs }, 'the token service gave no access that can be used');
    return;
  }
  const { lifeMs } = notice;
  if (notice.afterFailure) logger.info({ lifeMs }, 'the token service answers again');
  else logger.debug({ lifeMs }, 'access was renewed by the token service');
}
