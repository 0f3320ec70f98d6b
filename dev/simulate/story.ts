import type { Violation } from '../../test/chaos/auditor/books';
import type { Plan } from './plan';
import { wholeOf } from './shrink';
import type { Cut } from './shrink';

/** The options that determine a plan. */
export interface Repeatable {
  readonly seed: number;
  readonly transfers: number;
  readonly minutes: number;
}

/** The command that plays this part of the plan. The command counts transfers from 1. */
export function commandOf(plan: Plan, cut: Cut, { seed, transfers, minutes }: Repeatable): string {
  const whole = wholeOf(plan);
  const list = (indices: readonly number[]): string =>
    indices.length === 0 ? 'none' : indices.map((i) => i + 1).join(',');
  return [
    `npm run simulate -- --seed ${seed} --transfers ${transfers} --minutes ${minutes}`,
    ...(plan.engineStore === 'file' ? [] : [`--engine-store ${plan.engineStore}`]),
    ...(cut.transfers.length === whole.transfers.length ? [] : [`--only ${list(cut.transfers)}`]),
    ...(cut.faulted.length === whole.faulted.filter((i) => cut.transfers.includes(i)).length
      ? []
      : [`--faults ${list(cut.faulted)}`]),
    ...(cut.system ? [] : ['--calm']),
  ].join(' ');
}

/** A plan in words: a line for each transfer and each fault. `numberOf`: a transfer's number in the plan, from 1. */
export function storyOf(plan: Plan, numberOf: (originId: number) => number): readonly string[] {
  const lines = plan.transfers.map(({ order, startMs, story, starts, cancelMs, terminateMs, ...rest }) => {
    const fault = plan.faults.find(({ originId }) => originId === order.originId);
    const parts = [
      `${numberOf(order.originId)}. at ${startMs} ms ${order.body.amount}: ${story}`,
      ...(starts > 1 ? [`started ${starts} times at once`] : []),
      ...(cancelMs === null ? [] : [`cancelled after ${cancelMs} ms`]),
      ...(terminateMs === null ? [] : [`terminated after ${terminateMs} ms, started again`]),
      ...(rest.reset === null
        ? []
        : [`reset after ${rest.reset.ms} ms, ${Math.round(rest.reset.at * 100)} % of the way`]),
      ...(rest.hintsMs.length > 0 ? [`hinted after ${rest.hintsMs.join(', ')} ms`] : []),
      ...(rest.forgedMs.length > 0 ? [`forged notifications after ${rest.forgedMs.join(', ')} ms`] : []),
      ...(rest.decision === null
        ? []
        : [`when flagged: ${rest.decision.action} by ${rest.decision.isByTwo ? 'two' : 'one'}`]),
      ...(fault === undefined
        ? []
        : [`worker ${fault.action === 'kill' ? 'killed' : `stopped for ${fault.stopMs} ms`} ${fault.point}`]),
    ];
    return parts.join('; ');
  });
  return [
    [
      plan.clock === 'bank' ? 'in real time' : 'with time skipped',
      ...(plan.isEncrypted ? ['encrypted'] : []),
      ...(plan.isSigned ? ['signed'] : []),
      ...(plan.engineStore === 'postgres' ? ['Temporal on PostgreSQL'] : []),
    ].join(', '),
    ...(plan.clocksAheadMs.some((ms) => ms !== 0)
      ? [`clocks of workers ahead by ${plan.clocksAheadMs.join(', ')} ms`]
      : []),
    ...lines,
    ...plan.systemFaults.map(({ name, atMs, forMs }) => `${name} at ${atMs} ms for ${forMs} ms`),
    ...plan.keyLosses.map(({ fromMs, toMs }) => `a key lost from ${fromMs} to ${toMs} ms`),
    ...plan.sendingStops.map(({ fromMs, toMs }) => `no sending from ${fromMs} to ${toMs} ms`),
    ...plan.receiverFaults.map(
      ({ at, stopMs }) =>
        `receiver ${stopMs === null ? 'killed' : `stopped for ${stopMs} ms`} at notification ${at}`,
    ),
  ];
}

export const sentenceOf = (
  { rule, originId, sentence }: Violation,
  numberOf: (originId: number) => number,
): string => `${rule}${originId === null ? '' : `, transfer ${numberOf(Number(originId))}`}: ${sentence}`;
