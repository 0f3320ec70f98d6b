import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';
import { packageRoot } from '../../dev/package-root';

/**
 * Bundles the sources as the build does, into the file `path`. `encrypted`: for workers that have a key ring;
 * `workflowsPath`: other sources.
 */
export async function bundleWorkflows(
  path: string,
  options: { readonly encrypted?: boolean; readonly workflowsPath?: string } = {},
): Promise<string> {
  const workflowsPath = options.workflowsPath ?? join(packageRoot, 'src', 'workflows', 'index.ts');
  const failureConverterPath = join(packageRoot, 'src', 'codec', 'failure-converter.ts');
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    preloadModules: [workflowsPath],
    workflowInterceptorModules: [join(packageRoot, 'src', 'workflows', 'interceptors.ts')],
    ...(options.encrypted === true ? { failureConverterPath } : {}),
    logger: new DefaultLogger('WARN'),
  });
  await writeFile(path, code);
  return path;
}
