import type { Server as TlsServer } from 'node:https';
import type { FastifyInstance } from 'fastify';
import type { ReceiverTls } from './receiver-app';

/** Replaces the certificate for connections from now on. */
export function renewTls(app: FastifyInstance, { certPem, keyPem }: ReceiverTls): void {
  (app.server as unknown as TlsServer).setSecureContext({
    cert: certPem,
    key: keyPem,
    minVersion: 'TLSv1.2',
  });
}
