/**
 * Roles that processes work as, each with the grants that its statements need (0011-identities.sql); none owns
 * anything. Make a login a member of the role of its process:
 *
 * - `giro_runtime`: the worker.
 * - `giro_receiver`: the receiver, which puts notifications into the inbox and cannot read their content.
 * - `giro_operator`: commands of people.
 * - `giro_client`: `GiroClient`, `transfer start`, `events`. It binds references, and reads events and full answers of
 *   verifications.
 */
export const JOURNAL_ROLES = ['giro_runtime', 'giro_receiver', 'giro_operator', 'giro_client'] as const;
export type JournalRole = (typeof JOURNAL_ROLES)[number];

/** The role of a session; `login`: the login itself, in `setup` that of the journal's owner. */
export type JournalIdentity = JournalRole | 'login';
