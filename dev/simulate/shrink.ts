import type { Plan } from './plan';

/** A part of a plan. Transfers are given by their index in the plan, from 0. */
export interface Cut {
  readonly transfers: readonly number[];
  /** Those of the transfers whose worker fault is kept. */
  readonly faulted: readonly number[];
  /**
   * Keeps what is not about a single transfer: system faults, faults of the receiver, sending stops, a lost key,
   * verifications.
   */
  readonly system: boolean;
}

export function wholeOf(plan: Plan): Cut {
  const transfers = plan.transfers.map((_, i) => i);
  const faulted = transfers.filter((i) => faultOf(plan, i) !== undefined);
  return { transfers, faulted, system: true };
}

const faultOf = ({ transfers, faults }: Plan, index: number) =>
  faults.find(({ originId }) => originId === transfers[index]?.order.originId);

export const cutTo = (plan: Plan, { transfers, faulted, system }: Cut): Plan => ({
  ...plan,
  transfers: plan.transfers.filter((_, i) => transfers.includes(i)),
  faults: transfers.filter((i) => faulted.includes(i)).flatMap((i) => faultOf(plan, i) ?? []),
  ...(system
    ? {}
    : { sendingStops: [], receiverFaults: [], systemFaults: [], keyLosses: [], verifications: [] }),
});

/** `from`: a part that failed. `suspects`: indices of transfers with a violation; these alone are tried first. */
export interface Shrinking {
  readonly from: Cut;
  readonly suspects: readonly number[];
  /** Whether this part fails too. Each call is a simulation. */
  readonly fails: (cut: Cut) => Promise<boolean>;
  readonly triesMax: number;
  /** Whether no further part may be tried. */
  readonly isTimeUp?: () => boolean;
}

/** The shortest part that failed, within `triesMax` tries; `from` itself if no shorter part did. */
export async function shrink({ from, suspects, fails, triesMax, isTimeUp }: Shrinking): Promise<Cut> {
  let shortest = from;
  let tries = 0;
  const tried = new Set<string>();
  for (;;) {
    const candidate = shorterThan(shortest, suspects).find((it) => !tried.has(JSON.stringify(it)));
    if (candidate === undefined || tries === triesMax || isTimeUp?.() === true) return shortest;
    tried.add(JSON.stringify(candidate));
    tries += 1;
    if (await fails(candidate)) shortest = candidate;
  }
}

/** Smaller parts to try, the most promising first: the suspects alone, halves, then one transfer fewer. */
function shorterThan(cut: Cut, suspects: readonly number[]): readonly Cut[] {
  const { transfers, faulted, system } = cut;
  const keeping = (kept: readonly number[]): Cut => ({
    ...{ transfers: kept, faulted: faulted.filter((i) => kept.includes(i)), system },
  });
  const half = Math.ceil(transfers.length / 2);
  const fewer = [
    transfers.filter((i) => suspects.includes(i)),
    transfers.slice(0, half),
    transfers.slice(half),
    ...transfers.map((left) => transfers.filter((i) => i !== left)),
  ];
  return [
    ...fewer.filter((kept) => kept.length > 0 && kept.length < transfers.length).map(keeping),
    ...(system ? [{ ...cut, system: false }] : []),
    ...(faulted.length > 1 ? [{ ...cut, faulted: [] }] : []),
    ...faulted.map((left) => ({ ...cut, faulted: faulted.filter((i) => i !== left) })),
  ];
}
