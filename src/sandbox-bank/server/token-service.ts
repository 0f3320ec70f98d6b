import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../answers/answer';

export const TOKEN_PATH = '/oauth/token';

export interface TokenServiceOptions {
  /** The exact body that a request must have; null: any. Called at each request. */
  readonly request: () => string | null;
  readonly lifeMs: number;
}

/** Issues tokens at `TOKEN_PATH` and knows which of them are valid. */
export class TokenIssuer {
  private readonly goodUntilMs = new Map<string, number>();
  private count = 0;

  constructor(private readonly options: TokenServiceOptions) {}

  /** Number of tokens issued so far. */
  get issued(): number {
    return this.count;
  }

  /** Null: the request is not the expected one. */
  issue(body: Buffer): { readonly token: string; readonly lifeMs: number } | null {
    const expected = this.options.request();
    if (expected !== null && !body.equals(Buffer.from(expected))) return null;
    const token = randomBytes(24).toString('base64url');
    this.count += 1;
    this.goodUntilMs.set(token, performance.now() + this.options.lifeMs);
    return { token, lifeMs: this.options.lifeMs };
  }

  accepts(token: string): boolean {
    return performance.now() < (this.goodUntilMs.get(token) ?? -Infinity);
  }

  /** Makes all issued tokens invalid. */
  revokeAll(): void {
    this.goodUntilMs.clear();
  }
}

/** `POST /oauth/token`. Not in the request log, because it is about no movement. */
export function addTokenService(app: FastifyInstance, issuer: TokenIssuer): void {
  app.post(TOKEN_PATH, (request, reply) => {
    const issued = issuer.issue(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
    void reply.header('content-type', JSON_TYPE).header('cache-control', 'no-store');
    return issued === null
      ? reply.code(401).send('{"error":"invalid_client"}')
      : reply.send(JSON.stringify({ access_token: issued.token, expires_in: issued.lifeMs / 1000 }));
  });
}
