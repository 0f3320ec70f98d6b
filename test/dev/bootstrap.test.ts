import { spawnSync } from 'node:child_process';
import { packageRoot } from '../../dev/package-root';

function bootstrap(
  args: readonly string[],
  nodeArguments: readonly string[] = [],
): { code: number | null; stderr: string } {
  const run = spawnSync(process.execPath, [...nodeArguments, 'dev/bootstrap.mjs', ...args], {
    cwd: packageRoot,
    encoding: 'utf8',
  });
  return { code: run.status, stderr: run.stderr };
}

/** Makes Node report another version before the program starts. */
const pretend = (version: string): string[] => {
  const code = `Object.defineProperty(process.versions, 'node', { value: '${version}' });`;
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
};

describe('the bootstrap', () => {
  it.each(['18.20.4', '20.18.3'])('says that Node %s is too old, before anything else', (version) => {
    const { code, stderr } = bootstrap(['test'], pretend(version));
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Giro needs Node\.js 20\.19 or newer/);
  });

  it('names its tasks when it is given none or another', () => {
    for (const args of [[], ['tset']]) {
      const { code, stderr } = bootstrap(args);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^giro: usage: .* demo\|bench\|explore\|simulate\|versions-check\|test/);
    }
  });
});
