import type { GiroEnvironment } from '../../dev/giro-environment';

type Change = NonNullable<NonNullable<Parameters<GiroEnvironment['startWorker']>[0]>['change']>;

/** A change of a worker: its claims of request `first` and later ones wait for `isFree`. */
export const holdClaims =
  (first: number, isFree: Promise<void>): Change =>
  ({ journal, ...rest }) => ({
    ...rest,
    journal: {
      ...journal,
      claimRequest: async (claim) => {
        if (claim.number >= first) await isFree;
        return journal.claimRequest(claim);
      },
    },
  });
