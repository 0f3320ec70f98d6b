const MINUTE_MS = 60_000;
/** Of addresses that are remembered at a time, so that no flood of them fills the memory. */
const ADDRESSES_MAX = 10_000;

/** Says whether an address is seen for the first time in a minute; beyond 10,000 addresses a minute starts early. */
export function oncePerMinute(now: () => number = () => performance.now()): (address: string) => boolean {
  const seen = new Set<string>();
  let sinceMs = now();
  return (address) => {
    if (now() - sinceMs >= MINUTE_MS || seen.size >= ADDRESSES_MAX) {
      seen.clear();
      sinceMs = now();
    }
    if (seen.has(address)) return false;
    seen.add(address);
    return true;
  };
}
