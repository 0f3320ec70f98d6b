import { createServer as createHttpServer } from 'node:http';
import type { Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import type { Book } from '../book/book';
import { DEFAULT_RULES, DEFAULT_VERIFICATION_RULES } from '../default-rules';
import type { SandboxBankOptions, SuppliedTls } from '../options';
import type { SandboxRule, VerificationRule } from '../rules/rule';
import { RuleSet } from '../rules/rule-set';
import { addBankServices } from './bank-services';
import { initialState } from './bank-state';
import type { OutageMode } from './bank-state';
import { makeCertificate } from './certificate';
import { Connections } from './deliver';
import { TokenIssuer, addTokenService } from './token-service';
import { addSandboxRoutes } from './sandbox-routes';
import type { Logger } from 'pino';

/** A running sandbox bank. */
export interface SandboxBank {
  /** `https://127.0.0.1:<port>`, without a trailing slash. */
  readonly baseUrl: string;
  /** The authority that clients must trust; null: plain HTTP, or a certificate supplied without its CA. */
  readonly caPem: string | null;
  readonly port: number;
  /** The same books as under `/sandbox`. */
  readonly book: Book;
  /** The token service's books; null: no token service. */
  readonly tokens: TokenIssuer | null;
  /** As `PUT /sandbox/rules`; throws `SandboxRulesInvalid`. */
  setRules(rules: readonly (SandboxRule | VerificationRule)[]): void;
  /** As `PUT /sandbox/outage`. */
  setOutage(mode: OutageMode): void;
  /** Ends every connection at once, held ones too; resolves when the port is free. */
  close(): Promise<void>;
}

/** Orders are below 1 KB, but rule sets may be long. */
const BODY_MAX_BYTES = 1_048_576;

/** Starts a bank with empty books. Throws `SandboxRulesInvalid`, or what listening throws (`EADDRINUSE`). */
export async function startSandboxBank(options: SandboxBankOptions = {}): Promise<SandboxBank> {
  const state = initialState(options.rules ?? [...DEFAULT_RULES, ...DEFAULT_VERIFICATION_RULES]);
  const tls = await readTls(options);
  const clientCa = options.clientCaPem ?? null;
  if (tls === null && clientCa !== null) throw new Error('sandbox bank: client certificates need TLS');
  const server = tls === null ? createHttpServer() : tlsServer(tls, clientCa);
  const connections = new Connections(server);
  const issuer = options.tokenService == null ? null : new TokenIssuer(options.tokenService);
  const closing = new AbortController();
  const app = Fastify({
    logger: false,
    bodyLimit: BODY_MAX_BYTES,
    serverFactory: (handler) => server.on('request', handler),
  });
  app.removeAllContentTypeParsers();
  // Bodies stay bytes: their digest is in the books, and each service parses them itself.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  await app.register((scope, _options, done) => {
    addSandboxRoutes(scope, state);
    done();
  });
  if (issuer !== null) {
    await app.register((scope, _options, done) => {
      addTokenService(scope, issuer);
      done();
    });
  }
  await app.register((scope, _options, done) => {
    addBankServices(scope, {
      state,
      log: state.book.requestLog,
      connections,
      closing: closing.signal,
      acceptsToken: tokenCheck(options, issuer),
      verifySignature: options.verifySignature ?? null,
      logger: options.logger ?? null,
      verificationMethod: options.verificationMethod ?? 'GET',
    });
    done();
  });
  const host = options.host ?? '127.0.0.1';
  await app.listen({ port: options.port ?? 0, host });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `${tls === null ? 'http' : 'https'}://${urlHost(host)}:${port}`,
    caPem: tls?.caPem ?? null,
    port,
    book: state.book,
    tokens: issuer,
    setRules: (rules) => {
      state.rules = RuleSet.read(rules);
    },
    setOutage: (mode) => {
      state.outage = mode;
    },
    close: async () => {
      closing.abort();
      const closed = app.close();
      connections.destroyAll();
      await closed;
      await state.book.notifier.close();
    },
  };
}

function tokenCheck({ token = null }: SandboxBankOptions, issuer: TokenIssuer | null) {
  if (issuer !== null) return (given: string) => issuer.accepts(given);
  if (token === null) return null;
  return (given: string) => given === (typeof token === 'string' ? token : token());
}

async function readTls({ tls = true, dnsNames = [] }: SandboxBankOptions): Promise<SuppliedTls | null> {
  if (tls === false) return null;
  return tls === true ? await makeCertificate(dnsNames) : tls;
}

function tlsServer({ keyPem, certPem }: SuppliedTls, clientCaPem: string | null): Server {
  const mutual = clientCaPem === null ? {} : { ca: clientCaPem, requestCert: true, rejectUnauthorized: true };
  return createHttpsServer({ key: keyPem, cert: certPem, minVersion: 'TLSv1.2', ...mutual });
}

/** A wildcard address is served on loopback as well; IPv6 goes into brackets. */
function urlHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

/** Logs the bank's address once it is ready, at every log level. `settings`: what a client needs. */
export function announceSandboxBank(
  bank: SandboxBank,
  logger: Logger,
  settings: Readonly<Record<string, string>>,
): void {
  const fields = { baseUrl: bank.baseUrl, rules: `${bank.baseUrl}/sandbox/rules`, settings };
  logger.child({}, { level: 'info' }).info(fields, 'ready');
}
