import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { BankConnection } from './connection';
import { callWithToken } from './credentials/authorized-call';
import type { AuthStyle, RequestSigner, ServiceCall } from './credentials/authorized-call';
import type { BankDialect } from './dialect';
import type { Permit } from './limiter/limiter';
import { movementBank } from './movements/movement-bank';
import type { MovementBankOptions } from './movements/movement-bank';
import type { BankClient } from './movements/port';
import { verificationBank } from './verifications/verification-bank';
import type { VerificationBank } from './verifications/verification-port';
import { webhookBank } from './webhooks/webhook-bank';
import type { WebhookBank } from './webhooks/webhook-port';

export interface BankClientOptions extends MovementBankOptions {
  readonly connection: BankConnection;
  readonly dialect: BankDialect;
  readonly authStyleTransfers: AuthStyle;
  /** Method and authentication style of the verification query; default GET and raw. Never signed. */
  readonly verifications?: { readonly method: 'GET' | 'POST'; readonly authStyle: AuthStyle };
  /**
   * Authentication style of the services about subscriptions; default bearer. Never signed (bank-api: level "medium").
   */
  readonly authStyleWebhooks?: AuthStyle;
  /** Adds `X-Giro-Time` to requests with a workflow time (sandbox only). */
  readonly sendWorkflowTime: boolean;
  /** For calls without a permit (`BankLimiter.next`). */
  readonly nextPermit?: () => Promise<Permit>;
}

/** Headers of the connection, which a caller must not set: another value would change the bytes that leave. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'transfer-encoding',
  'upgrade',
]);

const VERIFICATIONS_DEFAULT = { method: 'GET', authStyle: 'raw' } as const;

export type HttpBankClient = BankClient & VerificationBank & WebhookBank & { close(): Promise<void> };

/**
 * The bank's services over HTTPS. Throws at once on options that cannot work; afterwards only on bugs. `close` waits
 * for the calls in flight.
 */
export function createHttpBankClient(options: BankClientOptions): HttpBankClient {
  const { connection, dialect, timeoutMs, nextPermit } = options;
  const { baseUrl, transport, tokens, extraHeaders, userAgent } = connection;
  for (const [name, value] of Object.entries({ ...extraHeaders, 'User-Agent': userAgent })) {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    if (CONNECTION_HEADERS.has(name.toLowerCase())) throw new Error(`header ${name} cannot be set`);
  }

  const serviceCall = (authStyle: AuthStyle, signer: RequestSigner | null): ServiceCall => {
    const caller = { transport, baseUrl, tokens, authStyle, signer, nextPermit };
    return (request, withinMs, { workflowTime, permit, leaveWithinMs }) =>
      callWithToken(caller, {
        ...request,
        headers: {
          ...extraHeaders,
          'User-Agent': userAgent,
          ...(options.sendWorkflowTime && workflowTime !== null ? { 'X-Giro-Time': workflowTime } : {}),
        },
        ...{ timeoutMs: withinMs, permit, leaveWithinMs },
      });
  };

  const { method, authStyle } = options.verifications ?? VERIFICATIONS_DEFAULT;
  return {
    ...movementBank(serviceCall(options.authStyleTransfers, connection.signer), dialect.movements, options),
    ...verificationBank(serviceCall(authStyle, null), dialect.verifications, { method, timeoutMs }),
    ...webhookBank(serviceCall(options.authStyleWebhooks ?? 'bearer', null), dialect.webhooks, timeoutMs),
    close: () => connection.close(),
  };
}
