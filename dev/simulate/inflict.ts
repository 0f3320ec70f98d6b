import { setTimeout as sleep } from 'node:timers/promises';
import type { Lines } from './lines';
import type { SimulationServers } from './system';
import { SYSTEM_FAULTS } from './system-faults';
import type { PlannedSystemFault } from './system-faults';

/** Causes the fault, waits for `forMs`, and repairs it. */
export async function inflict(
  servers: Pick<SimulationServers, 'engine' | 'journal' | 'engineStore'>,
  lines: Lines,
  { name, forMs }: Pick<PlannedSystemFault, 'name' | 'forMs'>,
): Promise<void> {
  const { part, how } = SYSTEM_FAULTS[name];
  if (how === 'killed') {
    await servers[part]?.kill();
    await sleep(forMs);
    await servers[part]?.resume();
  } else if (how === 'stopped') {
    servers[part]?.freeze();
    await sleep(forMs);
    servers[part]?.thaw();
  } else {
    lines.become(part, how);
    await sleep(forMs);
    lines.become(part, 'through');
  }
}
