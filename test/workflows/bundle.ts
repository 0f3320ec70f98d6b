import { join } from 'node:path';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';
import { packageRoot } from '../../dev/package-root';

export const WORKFLOWS = join(packageRoot, 'src', 'workflows', 'index.ts');
const INTERCEPTORS = [join(packageRoot, 'src', 'workflows', 'interceptors.ts')];

/** The code that runs in the sandbox, as the worker bundles it. `told` gets the bundler's errors. */
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
