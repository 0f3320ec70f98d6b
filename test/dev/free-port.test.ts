import { createServer } from 'node:net';
import { freePort, withPortRetry } from '../../dev/free-port';

describe('withPortRetry', () => {
  it('starts again with another port when somebody took the first', async () => {
    const taken = createServer();
    const port = await new Promise<number>((resolve) => {
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
    });
    const ports = [port, await freePort()];
    const server = await withPortRetry(async () => {
      const attempt = createServer();
      const next = ports.shift();
      await new Promise<void>((resolve, reject) =>
        attempt.once('error', reject).listen(next, '127.0.0.1', resolve),
      );
      return attempt;
    });
    expect((server.address() as { port: number }).port).not.toBe(port);
    expect(ports).toEqual([]);
    server.close();
    taken.close();
  });

  it('gives up on a clash that does not end, and at once on any other failure', async () => {
    let attempts = 0;
    const fail = (message: string) => () => {
      attempts += 1;
      return Promise.reject(new Error(message));
    };
    for (const clash of [
      'Address already in use',
      'panic: go.temporal.io/server/temporal.NewServerFx({0x1})',
    ]) {
      attempts = 0;
      await expect(withPortRetry(fail(clash))).rejects.toThrow(clash);
      expect(attempts).toBe(5);
    }
    attempts = 0;
    await expect(withPortRetry(fail('disk full'))).rejects.toThrow('disk full');
    expect(attempts).toBe(1);
  });
});
