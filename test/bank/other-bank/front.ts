import http from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { SandboxBank } from '../../../src/sandbox-bank';
import { requestForSandbox, responseOfOtherBank } from './translation';

export interface Front {
  readonly baseUrl: string;
  readonly caPem: null;
  close(): Promise<void>;
}

/**
 * The made-up bank: a server that speaks its wire format to clients, and passes requests on to a sandbox bank, which
 * provides scenarios, faults, books and the request log. A connection that the sandbox bank breaks off or lets hang
 * ends in the same way here.
 */
export async function startFront(bank: SandboxBank): Promise<Front> {
  const server = http.createServer((request, response) => {
    forward(bank, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    caPem: null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function forward(
  bank: SandboxBank,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = '', url = '', headers } = incoming;
  const asked = requestForSandbox(method, new URL(url, 'http://other-bank'), await textOf(incoming));
  if (asked === null) {
    response.writeHead(404).end();
    return;
  }
  const { authorization = '', 'x-giro-time': giroTime } = headers;
  const { body } = asked;
  const target = new URL(bank.baseUrl + asked.path);
  const outgoing = (target.protocol === 'https:' ? https : http).request(target, {
    method: asked.method,
    headers: {
      authorization,
      ...(giroTime === undefined ? {} : { 'x-giro-time': giroTime }),
      ...(body === null
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    },
    agent: false,
    ...(bank.caPem === null ? {} : { ca: bank.caPem }),
  });
  response.once('close', () => outgoing.destroy());
  outgoing.end(body ?? undefined);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', reject);
  });
  const { 'content-type': contentType, 'retry-after': retryAfter } = answer.headers;
  const text = responseOfOtherBank(asked.service, answer.statusCode ?? 0, await textOf(answer));
  response.writeHead(answer.statusCode ?? 0, {
    ...(contentType === undefined ? {} : { 'content-type': contentType }),
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
  });
  response.end(text);
}

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
