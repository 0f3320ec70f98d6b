import { readFile, writeFile } from 'node:fs/promises';
import type { NodeEnv } from '../node-env';
import { run } from '../run';

const PROGRAMS = ['iptables', 'ip6tables'];

const FORWARDING = '/proc/sys/net/ipv4/ip_forward';
/** Matches Docker's chains, and the bridges of its networks. */
const OF_DOCKER = /\bDOCKER\b| br-[0-9a-f]{12}\b/;

type Tables = ReadonlyMap<string, readonly string[]>;

/**
 * Call this before dockerd starts. The returned function removes what dockerd leaves in this machine's firewall:
 * Docker's rules and chains, its policy, and IP forwarding. Other rules stay.
 */
export async function rememberFirewall(env: NodeEnv): Promise<() => Promise<void>> {
  // Without IPv6, ip6tables has nothing to save.
  const saved = (program: string) =>
    run(`${program}-save`, [], { env, throughSignals: true }).catch(() => '');
  const before = await Promise.all(PROGRAMS.map(saved));
  const forwarding = await readFile(FORWARDING, 'utf8');
  return async () => {
    for (const [index, program] of PROGRAMS.entries()) {
      const orders = undoing(before[index] ?? '', await saved(program));
      if (orders === '') continue;
      const restore = ['-c', 'printf %s "$1" | "$2" --noflush', 'sh', orders, `${program}-restore`];
      await run('sh', restore, { env, throughSignals: true });
    }
    if ((await readFile(FORWARDING, 'utf8')) !== forwarding) await writeFile(FORWARDING, forwarding);
  };
}

/** Input for `iptables-restore --noflush` that changes `after` back to `before`, both from `iptables-save`. */
export function undoing(before: string, after: string): string {
  const old = tablesOf(before);
  const tables = [...tablesOf(after)].flatMap(([table, lines]) => {
    const known = new Set(old.get(table));
    const news = lines.filter((line) => !known.has(line));
    const chains = news.flatMap((line) => /^:(DOCKER\S*) /.exec(line)?.[1] ?? []);
    const rules = news.filter((line) => line.startsWith('-A ') && OF_DOCKER.test(line));
    // Docker sets this policy to DROP.
    const closed = news.some((line) => line.startsWith(':FORWARD DROP'));
    const orders = [
      ...(closed ? [':FORWARD ACCEPT [0:0]'] : []),
      ...rules.map((rule) => rule.replace('-A', '-D')),
      // Empty all chains first: one may refer to another.
      ...chains.map((chain) => `-F ${chain}`),
      ...chains.map((chain) => `-X ${chain}`),
    ];
    return orders.length === 0 ? [] : [`*${table}`, ...orders, 'COMMIT', ''];
  });
  return tables.join('\n');
}

/** Lines of each table, policies without their counters. */
function tablesOf(saved: string): Tables {
  const tables = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of saved.split('\n')) {
    if (line.startsWith('*')) tables.set(line.slice(1), (lines = []));
    else if (/^[:-]/.test(line)) lines.push(line.replace(/ \[\d+:\d+\]$/, ''));
  }
  return tables;
}
