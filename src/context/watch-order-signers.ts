import { readOrderSigners } from '../config/order-signers';
import type { OrderSignersConfig } from '../config/order-signers';
import { watchFiles } from '../config/watch-files';
import type { Watched } from '../config/watch-files';
import type { OrderSigner } from '../order-proofs/order-signers';
import type { Logger } from '../telemetry/logger';

/** The current keys of `ORDER_SIGNERS_FILE`; null: orders are not signed, and no file is watched. */
export function watchOrderSigners(
  config: OrderSignersConfig,
  logger: Logger,
): Watched<readonly OrderSigner[] | null> {
  if (config === null) return { current: () => null, close: () => undefined };
  return watchFiles<readonly OrderSigner[]>({
    initial: config.value,
    read: () => readOrderSigners(config.file),
    onChange: (signers) =>
      logger.info({ kids: signers.map(({ kid }) => kid) }, 'ORDER_SIGNERS_FILE was read again'),
    onProblem: (reason) =>
      logger.error({ reason }, 'ORDER_SIGNERS_FILE cannot be used; the previous keys stay in force'),
  });
}
