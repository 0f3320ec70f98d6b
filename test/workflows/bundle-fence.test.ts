import { join } from 'node:path';
import { bundleOf, workflowCode } from './bundle';

/** webpack names each module of the bundle at the beginning of a line. */
const MODULE = /^\/\*\*\*\/ "([^"\n]+)"/gm;
const PACKAGE = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/** What @temporalio/workflow brings along. */
const ENGINE_PACKAGES = ['@temporalio/common', '@temporalio/workflow', 'long', 'ms', 'nexus-rpc'];

/** With the bundler's entry point and its placeholders for converters that nobody configured. */
const OURS = /^\.\/src\/(workflows|domain)\/|^\?[0-9a-f]+$/;

interface Contents {
  readonly packages: readonly string[];
  readonly ours: readonly string[];
  readonly sizeKb: number;
}

function contentsOf(code: string): Contents {
  const modules = [...new Set(Array.from(code.matchAll(MODULE), (match) => match[1]!))];
  const packages = modules.flatMap((path) => PACKAGE.exec(path)?.[1] ?? []);
  return {
    packages: [...new Set(packages)].sort(),
    ours: modules.filter((path) => !PACKAGE.test(path)).sort(),
    // Without the source map, which is no part of what runs.
    sizeKb: code.replace(/\/\/# sourceMappingURL=.*$/m, '').length / 1024,
  };
}

describe('the workflow bundle', () => {
  it('holds the domain, the workflows and the engine’s own packages, nothing else', async () => {
    const { packages, ours, sizeKb } = contentsOf(await workflowCode());
    expect(packages).toEqual(ENGINE_PACKAGES);
    expect(ours.filter((path) => !OURS.test(path))).toEqual([]);
    expect(ours).toContain('./src/workflows/transfer.ts');
    expect(sizeKb).toBeLessThan(1_000);
  });

  it('the check notices zod', async () => {
    const { packages } = contentsOf(await bundleOf(join(__dirname, 'fixtures', 'imports-zod.ts')));
    expect(packages).toContain('zod');
  });

  it('a built-in of Node makes no bundle at all', async () => {
    const told: string[] = [];
    await expect(bundleOf(join(__dirname, 'fixtures', 'imports-built-in.ts'), told)).rejects.toThrow();
    expect(told.join()).toContain('node:fs');
  });
});
