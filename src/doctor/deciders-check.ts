import type { TransferSettings } from '../domain/transfer/settings';
import { lacksDeciders } from '../domain/transfer/settings';
import { well } from './finding';
import type { Check } from './finding';

/** Whether anybody may decide what takes two operators; a transfer that needs it waits until somebody may. */
export const decidersCheck = (settings: Pick<TransferSettings, 'deciders' | 'needsDeciders'>): Check => ({
  name: 'deciders',
  run: () =>
    Promise.resolve(
      well(
        lacksDeciders(settings)
          ? 'DECIDERS is not set: nobody can decide what takes two operators; set it to their names'
          : settings.deciders === null
            ? 'DECIDERS is not set: any name decides, in this sandbox'
            : `${settings.deciders.length} operators may decide`,
      ),
    ),
});
