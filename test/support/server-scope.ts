import type { Scope } from '../../dev/scope';

let release: (() => Promise<void>) | null = null;

/** The scope of the servers, from the global set-up to the global tear-down, which jest runs in the same process. */
export function handOver(scope: Scope, letSignalsBe: () => void): void {
  release = async () => {
    await scope.release();
    letSignalsBe();
  };
}

export async function takeDown(): Promise<void> {
  await release?.();
  release = null;
}
