import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';
import { packageRoot } from '../../dev/package-root';
import { keptBundle } from '../support/workflow-bundle';

const INTERCEPTORS = [join(packageRoot, 'src', 'workflows', 'interceptors.ts')];

/** The code that runs in the sandbox, as the worker bundles it. */
export const workflowCode = async (): Promise<string> => readFileSync(await keptBundle(), 'utf8');

/** The bundle of other workflows. `told` receives the bundler's errors. */
export async function bundleOf(workflowsPath: string, told: string[] = []): Promise<string> {
  const logger = new DefaultLogger('ERROR', ({ message }) => told.push(message));
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    preloadModules: [workflowsPath],
    workflowInterceptorModules: INTERCEPTORS,
    logger,
  });
  return code;
}
