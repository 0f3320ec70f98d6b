import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { Pool } from 'pg';
import { serve } from './bank/local-server';
import { loadSettings } from '../src/config/settings';
import { createContext } from '../src/context';
import { stubBank } from './commands/support/stub-bank';

const env = {
  DATABASE_URL: 'postgres://someone@127.0.0.1:1/giro',
  BANK_BASE_URL: 'http://127.0.0.1:1',
  BANK_TOKEN: 'none',
  TEMPORAL_ADDRESS: '127.0.0.1:1',
};

describe('the composition root', () => {
  test('builds what the configuration has, and only that', async () => {
    const { config, secrets } = loadSettings(env, ['journal', 'orderLimits']);
    const context = await createContext(config, secrets);
    expect(Object.keys(context).sort()).toEqual([
      'close',
      'journal',
      'limiter',
      'logger',
      'metrics',
      'orderLimits',
    ]);
    await context.close();
  });

  test('an override is taken instead of the real thing, which is not built', async () => {
    const { config, secrets } = loadSettings(env, ['temporal', 'bank']);
    const temporal = { close: () => Promise.reject(new Error('not ours to close')) } as never;
    const bank = stubBank();
    // The engine's address leads nowhere: building it would fail.
    const context = await createContext(config, secrets, { temporal, bank });
    expect(context.bank).toBe(bank);
    expect(context.temporal).toBe(temporal);
    await context.close();
  });

  test('what was built before a failure is released', async () => {
    const { config, secrets } = loadSettings(env, ['bank', 'journal', 'temporal']);
    const closed = jest.spyOn(Pool.prototype, 'end');
    await expect(createContext(config, secrets)).rejects.toMatchObject({ name: 'ServerUnreachableError' });
    expect(closed).toHaveBeenCalledTimes(1);
    closed.mockRestore();
  });

  test('close twice does no harm', async () => {
    const { config, secrets } = loadSettings(env, ['bank', 'journal']);
    const context = await createContext(config, secrets);
    await context.close();
    await context.close();
  });

  test.each([
    [{}, 'GET', 'secret'],
    [{ BANK_KYC_METHOD: 'POST', BANK_AUTH_STYLE_KYC: 'bearer' }, 'POST', 'Bearer secret'],
  ] as const)('verification queries leave as %j says', async (more, method, authorization) => {
    const arrived: IncomingMessage[] = [];
    const server = await serve(
      createServer((request, response) => {
        arrived.push(request);
        response.setHeader('Content-Type', 'application/json');
        response.end('{"requestId":"r-1","status":"Pendiente"}');
      }),
    );
    const { config, secrets } = loadSettings(
      { ...env, BANK_BASE_URL: `http://127.0.0.1:${server.port}`, BANK_TOKEN: 'secret', ...more },
      ['bank'],
    );
    const context = await createContext(config, secrets);
    try {
      const reply = await context.bank.getVerification('r-1', { workflowTime: null });
      expect(reply).toMatchObject({ kind: 'verification', verification: { status: 'Pendiente' } });
      expect(arrived.map((request) => [request.method, request.headers.authorization])).toEqual([
        [method, authorization],
      ]);
    } finally {
      await context.close();
      await server.close();
    }
  });
});
