import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CodecGateway {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * A stand-in for a company's gateway in front of the codec server. A real gateway authenticates operators, and adds the
 * path's token, for which the Temporal UI has no field. This one authenticates nobody.
 */
export async function startCodecGateway(
  codecServer: string,
  tokens: { readonly decode: string; readonly encode: string },
): Promise<CodecGateway> {
  const target = new URL(`http://${codecServer}`);
  const server = createServer((incoming, answer) => {
    const { pathname } = new URL(incoming.url ?? '', target);
    const token = pathname.endsWith('/encode') ? tokens.encode : tokens.decode;
    const onward = request(
      {
        host: target.hostname,
        port: target.port,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, authorization: `Bearer ${token}` },
      },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      },
    );
    onward.on('error', () => answer.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
