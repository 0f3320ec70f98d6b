import { existsSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DefaultLogger, bundleWorkflowCode } from '@temporalio/worker';
import { packageRoot } from '../../dev/package-root';

interface BundleOptions {
  readonly encrypted?: boolean;
  readonly workflowsPath?: string;
}

/**
 * Bundles the sources as the build does, into the file `path`. `encrypted`: for workers that have a key ring;
 * `workflowsPath`: other sources.
 */
export async function bundleWorkflows(path: string, options: BundleOptions = {}): Promise<string> {
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

/** Likewise, unless another test file of this run has done so: `path` is in the folder of its servers. */
export async function bundleOnce(path: string, options: BundleOptions): Promise<string> {
  if (!existsSync(path)) await rename(await bundleWorkflows(`${path}.${process.pid}`, options), path);
  return path;
}
