import type { SendingStop } from '../../domain/transfer/records';
import type { JournalContext } from '../context';
import { sendingState } from './sending';

const recoverText = `select giro.recover_stop($1::timestamptz, $2::text, $3::text) as recovered`;

/**
 * Records a `sending stop` again if the journal has lost it. Returns false if the brake is on, or was changed after this
 * stop.
 */
export async function recoverStop(
  { database }: Pick<JournalContext, 'database'>,
  { at, operator, reason }: SendingStop,
): Promise<boolean> {
  const [row] = await database.run<{ recovered: boolean }>({ name: 'recover-stop', text: recoverText }, [
    at,
    operator,
    reason,
  ]);
  return row?.recovered ?? false;
}

/**
 * Reads the emergency brake and remembers it for this process. If the journal lacks the stop that this process has
 * seen, the stop is recorded again and returned; otherwise null.
 */
export async function keepStop(context: JournalContext): Promise<SendingStop | null> {
  const { stopped, since, operator, reason } = await sendingState(context);
  if (since !== null) {
    context.brake.see({ stopped, at: since, operator: operator ?? '', reason: reason ?? '' });
  }
  const stop = context.brake.stop();
  return !stopped && stop !== null && (await recoverStop(context, stop)) ? stop : null;
}
