import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../answers/answer';
import { TOKEN_PATH } from './token-desk';
import type { TokenDesk } from './token-desk';

/** `POST /oauth/token`, outside of the request log: it is about no movement. */
export function addTokenService(app: FastifyInstance, desk: TokenDesk): void {
  app.post(TOKEN_PATH, (request, reply) => {
    const issued = desk.issue(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
    void reply.header('content-type', JSON_TYPE).header('cache-control', 'no-store');
    return issued === null
      ? reply.code(401).send('{"error":"invalid_client"}')
      : reply.send(JSON.stringify({ access_token: issued.token, expires_in: issued.lifeMs / 1000 }));
  });
}
