import { JOURNAL_ROLES } from '../src/journal/identity';
import type { JournalIdentity } from '../src/journal/identity';
import { createJournal } from '../src/journal/create-journal';
import type { JournalOptions, OpenJournal } from '../src/journal/create-journal';
import type { Journal } from '../src/journal/journal';

/** The roles of methods that the worker does not use. Methods that several processes use run as the worker. */
const DONE_AS: Partial<Record<keyof Journal, JournalIdentity>> = {
  ...{ advanceSequence: 'login', recordRestoration: 'login' },
  ...{ bindReference: 'giro_client', orderSha256: 'giro_client', events: 'giro_client' },
  ...{ noteLostReferences: 'giro_client', markBindingsKnown: 'giro_client' },
  ...{ recordAudit: 'giro_operator', auditEntries: 'giro_operator', verificationAnswer: 'giro_operator' },
  ...{ verification: 'giro_operator', verifications: 'giro_operator' },
  ...{ setSending: 'giro_operator', acknowledgeIncident: 'giro_operator', changeBreak: 'giro_operator' },
  ...{
    auditedTransfers: 'giro_operator',
    countTransfers: 'giro_operator',
    rowsWithoutTransfer: 'giro_operator',
  },
  ...{ archives: 'giro_operator', supersededAnswers: 'giro_operator' },
  ...{ recordArchive: 'login', differingLine: 'login', deleteArchived: 'login' },
  ...{ chainLinks: 'giro_operator', linkBefore: 'giro_operator', countLinks: 'giro_operator' },
  ...{ recomputedLink: 'giro_operator', reportsWithoutLink: 'giro_operator' },
  ...{ unnumberedRecords: 'giro_operator' },
  ...{ transfers: 'giro_operator', annulments: 'giro_operator', incidents: 'giro_operator' },
  ...{ reconciliations: 'giro_operator', runProgress: 'giro_operator', forgottenRun: 'giro_operator' },
  ...{ report: 'giro_operator' },
  ...{ beginStatement: 'giro_operator', addLines: 'giro_operator', endStatement: 'giro_operator' },
};

/**
 * A journal for one process that is worker, receiver, operator and client at once: each method runs under the role
 * that calls it.
 */
export function createEveryJournal(url: string, options: Omit<JournalOptions, 'identity'> = {}): OpenJournal {
  const identities = ['login', ...JOURNAL_ROLES] as const;
  const all = identities.map((identity) => [identity, createJournal(url, { ...options, identity })] as const);
  const of = (wanted: JournalIdentity): Journal => {
    const found = all.find(([identity]) => identity === wanted);
    if (found === undefined) throw new Error(`no journal of ${wanted}`);
    return found[1].journal;
  };
  const others = Object.entries(DONE_AS).map(([method, identity]) => [
    method,
    of(identity)[method as keyof Journal],
  ]);
  return {
    journal: { ...of('giro_runtime'), ...(Object.fromEntries(others) as Partial<Journal>) },
    close: async () => {
      await Promise.all(all.map(([, { close }]) => close()));
    },
  };
}
