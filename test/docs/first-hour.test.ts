import { spawnSync } from 'node:child_process';
import { exitCodeOf, lineOf } from '../../dev/first-hour-check/counts';
import { recordedBlocks, withLastRun } from '../../dev/first-hour-check/last-run';
import { PAGE, PORTS, blocksOf, missingLine, withPorts } from '../../dev/first-hour-check/page';
import { VARIABLES } from '../../src/config/variables';
import { textOfPage } from './pages';

const text = textOfPage(PAGE);
const blocks = blocksOf(text);

describe('the page', () => {
  it('has no fenced block that the check passes over: each is run, shown as output, or says why not', () => {
    const fences = [...text.matchAll(/^```(?<language>\w+)$/gm)].map(({ groups }) => groups?.['language']);
    expect(fences.filter((it) => it === 'sh')).toHaveLength(blocks.length);
    expect(fences.filter((it) => it === 'text')).toHaveLength(
      blocks.filter(({ expected }) => expected.length > 0).length,
    );
    expect(blocks.length).toBeGreaterThan(20);
  });

  it.each(blocks.map(({ line, script }) => [line, script] as const))(
    'line %i: bash can read the block',
    (_line, script) => {
      expect(spawnSync('bash', ['-n'], { input: script, encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      });
    },
  );

  it('names no port that the check would not replace by a free one', () => {
    const named = blocks.flatMap(({ script }) => [
      ...script.matchAll(
        /(?:localhost|127\.0\.0\.1):(\d+)|(?:port|PGPORT)[ =]+(\d+)|^(?:worker|ready) .*?(\d{4,5})$/gm,
      ),
    ]);
    const ports = named.map((match) => Number(match.slice(1).find(Boolean)));
    expect(ports.length).toBeGreaterThan(20);
    expect(ports.filter((port) => !PORTS.includes(port))).toEqual([]);
  });

  describe('every key and certificate', () => {
    const section = /\n## 4\. [\s\S]*?(?=\n## )/.exec(text)?.[0] ?? '';
    const [, table = '', notPractised = ''] =
      /\n(\|[\s\S]*?)\n\n(This page does not practise[\s\S]*?)\n\n/.exec(section) ?? [];
    const secret = VARIABLES.map(({ name }) => name).filter((name) =>
      /(_FILE|_PATH|_API_KEY|_TOKEN|_HEADERS|^DATABASE_URL)$/.test(name),
    );
    const changed = secret.filter((name) => table.includes(`\`${name}\``));
    const run = blocks.filter(({ runsIn }) => runsIn === 'host');
    const commands = run
      .filter(({ script }) => section.includes(script))
      .flatMap(({ script }) => script.split('\n'));

    it('says of each setting how it is changed, or that the page does not practise it', () => {
      expect(secret.length).toBeGreaterThan(20);
      const others = secret.filter((name) => !changed.includes(name));
      expect(changed.length).toBeGreaterThan(15);
      expect(others.filter((name) => !notPractised.includes(`\`${name}\``))).toEqual([]);
    });

    it.each(changed)('%s: a process has it, and a command of the section replaces its secret', (name) => {
      const settings = run
        .flatMap(({ script }) => script.split('\n'))
        .filter((it) => it.includes(`${name}=`));
      const file = settings.map((it) => /secrets\/([\w-]+)/.exec(it)?.[1]).find(Boolean) ?? 'none';
      const secretOf = name === 'DATABASE_URL' ? 'worker' : file;
      const replaces = new RegExp(
        String.raw`^(?:change|renew|certificate|secret|login|mv|for name in|.* codec rotate)\b.*\b${secretOf}\b`,
      );
      expect(commands.filter((it) => replaces.test(it))).not.toEqual([]);
    });

    it('compares the settings before and after: none has its old secret', () => {
      expect(commands).toContain('used >used.before');
      const compares = run.find(({ script }) => script.includes('comm -12 used.before used.after'));
      expect(section).toContain(compares?.script);
      expect(compares?.expected).toEqual([expect.stringMatching(/^\d+ settings, 0 of them as before$/)]);
    });
  });
});

describe('the last run', () => {
  const run = {
    ...{ 'last run': '2026-01-05', took: '9 min 3 s', blocks: '41', Giro: '0.1.0', 'Node.js': '20.19.0' },
    ...{ PostgreSQL: '15.14', 'Temporal CLI': '1.9.1', OpenSSL: '3.0.17', on: '2 processors' },
  };

  it('that the page records ran as many blocks as the page has', () => {
    expect(recordedBlocks(text)).toBe(blocks.length);
  });

  it('replaces the run before, and nothing else of the page', () => {
    const written = withLastRun(text, run);
    expect(recordedBlocks(written)).toBe(41);
    expect(written).toContain('| 2026-01-05 | 9 min 3 s | 41     | 0.1.0 |');
    expect(withLastRun(written, { ...run, blocks: '42' })).toBe(written.replace('| 41     |', '| 42     |'));
    const outside = (page: string) => [page.split('<!-- last run')[0], page.split('<!-- end of last run')[1]];
    expect(outside(written)).toEqual(outside(text));
  });

  it('fails for a block that failed, and for one that was skipped unless that is allowed', () => {
    const counts = { passed: 3, failed: 0, skipped: 0 };
    expect(lineOf(counts)).toBe('3 passed, 0 failed, 0 skipped');
    expect(exitCodeOf(counts, false)).toBe(0);
    expect(exitCodeOf({ ...counts, skipped: 1 }, false)).toBe(1);
    expect(exitCodeOf({ ...counts, skipped: 1 }, true)).toBe(0);
    expect(exitCodeOf({ ...counts, failed: 1 }, true)).toBe(1);
    expect(exitCodeOf({ passed: 0, failed: 0, skipped: 0 }, false)).toBe(1);
  });
});

describe('how a page is read', () => {
  const page = (...lines: string[]) => lines.join('\n');

  it('shell blocks in their order, with the heading above and the output below', () => {
    const read = blocksOf(
      page('# A', '```sh', 'x', '```', '', '```text', 'y', '```', '## B', '```sh', 'z', '```'),
    );
    expect(read).toEqual([
      { line: 2, heading: 'A', script: 'x', runsIn: 'host', expected: ['y'] },
      { line: 10, heading: 'B', script: 'z', runsIn: 'host', expected: [] },
    ]);
  });

  it('a block may say that it runs in the checkout, or why it does not run', () => {
    const read = blocksOf(
      page(
        ...['<!-- check: in the checkout -->', '', '```sh', 'x', '```'],
        ...['<!-- check: not run: needs a bank of yours -->', '```sh', 'y', '```'],
      ),
    );
    expect(read.map(({ runsIn }) => runsIn)).toEqual(['checkout', { notRun: 'needs a bank of yours' }]);
  });

  it.each([
    ['another language', ['```yaml', 'a: 1', '```']],
    ['no language', ['```', 'x', '```']],
    ['output of nothing', ['```text', 'x', '```']],
    ['output after other text', ['```sh', 'x', '```', 'and', '```text', 'y', '```']],
    ['two outputs', ['```sh', 'x', '```', '```text', 'y', '```', '```text', 'z', '```']],
    ['a directive that is none', ['<!-- check: later -->', '```sh', 'x', '```']],
    ['no reason', ['<!-- check: not run: -->', '```sh', 'x', '```']],
    ['a block without an end', ['```sh', 'x']],
  ])('refuses %s', (_name, lines) => {
    expect(() => blocksOf(page(...lines))).toThrow(/^line \d+: /);
  });

  it('expected lines come in their order; … is any text, columns may be wider', () => {
    const output = page('ok     journal   up to date', 'waiting', '15 COMPLETED');
    expect(missingLine(['ok journal up to date', '15 COMPLETED'], output)).toBeNull();
    expect(missingLine(['ok … date'], output)).toBeNull();
    expect(missingLine(['15 COMPLETED', 'ok journal'], output)).toBe('ok journal');
    expect(missingLine(['15 .*'], output)).toBe('15 .*');
    expect(missingLine([], '')).toBeNull();
  });

  it('replaces whole numbers that are ports of the page', () => {
    expect(withPorts('PGPORT=5432 localhost:5432/x 15432', new Map([[5432, 20_001]]))).toBe(
      'PGPORT=20001 localhost:20001/x 15432',
    );
  });
});
