import { Command } from 'commander';
import { Scope } from '../scope';
import { releaseOnSignals } from '../signals';
import { planOf } from './plan';
import { simulate } from './simulate';
import { openSystem, startServers } from './system';

async function main(): Promise<void> {
  const command = new Command('npm run simulate --')
    .description(
      'Plays a plan made from a seed on real processes and servers, and audits the books afterwards.',
    )
    .option('--seed <n>', 'decides everything that happens', '1')
    .option('--transfers <n>', 'how many', '20')
    .option('--minutes <n>', 'longest that the transfers may take', '5')
    .parse();
  const given = command.opts<{ seed: string; transfers: string; minutes: string }>();
  const startedMs = Date.now();
  const say = (line: string): void => {
    process.stderr.write(`${((Date.now() - startedMs) / 1_000).toFixed(1).padStart(6)} s  ${line}\n`);
  };
  const scope = new Scope();
  releaseOnSignals(scope);
  try {
    const servers = await startServers(scope, say);
    const plan = planOf({
      seed: Number(given.seed),
      transfers: Number(given.transfers),
      firstOriginId: 1_000_001,
    });
    const system = await openSystem(scope, servers);
    const { violations, done } = await simulate(plan, system, { maxMs: Number(given.minutes) * 60_000, say });
    say(JSON.stringify(done));
    for (const { rule, originId, sentence } of violations) {
      const story = plan.transfers.find(({ order }) => String(order.originId) === originId)?.story ?? '';
      const fault = plan.faults.find((it) => String(it.originId) === originId);
      process.stdout.write(
        `${rule} ${originId ?? ''}: ${sentence}\n    ${story}; ${fault === undefined ? '' : `${fault.action} ${fault.point}`}\n`,
      );
    }
    process.exitCode = violations.length === 0 ? 0 : 1;
  } finally {
    await scope.release();
  }
}

void main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
