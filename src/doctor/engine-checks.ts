import type { Secrets, Config } from '../config/settings';
import { ServerUnreachableError } from '../client/errors';
import { connectEngine } from '../engine/connect';
import type { Engine } from '../engine/connect';
import { checkSearchAttributes } from '../engine/search-attributes';
import { well, wrong } from './check-result';
import type { Check, Judgement } from './check-result';
import { judgeReconciliationSchedule, judgeRecoverySchedule } from './schedule-checks';

/**
 * Temporal: reachable, with its namespace, the search attributes that the workflows write, and the schedules. All
 * checks share one connection, or one failure to connect.
 */
export function engineChecks(
  config: Config['temporal'],
  secrets: Secrets['temporal'],
): { readonly checks: readonly Check[]; readonly close: () => Promise<void> } {
  let connecting: Promise<Engine> | null = null;
  const withEngine = async (use: (engine: Engine) => Promise<Judgement>): Promise<Judgement> => {
    try {
      connecting ??= connectEngine(config, secrets);
      return await use(await connecting);
    } catch (error) {
      if (!(error instanceof ServerUnreachableError)) throw error;
      return wrong(
        error.message,
        'check TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE, TEMPORAL_TLS_… and that it runs',
      );
    }
  };
  const { address, namespace, taskQueue } = config;
  const checks: readonly Check[] = [
    {
      name: 'temporal',
      run: () =>
        withEngine(() =>
          Promise.resolve(well(`Temporal at ${address} answers, with namespace ${namespace}`)),
        ),
    },
    {
      name: 'search-attributes',
      run: () =>
        withEngine(async ({ connection }) => {
          const { missing, wrong: other } = await checkSearchAttributes(connection, namespace);
          if (other.length > 0) return wrong(other.join('; '), 'use another namespace, or remove them there');
          if (missing.length > 0)
            return wrong(`namespace ${namespace} lacks ${missing.join(', ')}`, 'run setup');
          return well('all are registered');
        }),
    },
    {
      name: 'recovery',
      run: () => withEngine(({ client }) => judgeRecoverySchedule(client, taskQueue)),
    },
    {
      name: 'reconciliation',
      run: () => withEngine(({ client }) => judgeReconciliationSchedule(client, taskQueue)),
    },
  ];
  const close = async (): Promise<void> => {
    await connecting?.then(
      (engine) => engine.close(),
      () => undefined,
    );
  };
  return { checks, close };
}
