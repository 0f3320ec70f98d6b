-- Who may do what. Each kind of process works as a role of its own, and a role has exactly the grants that the
-- statements of its process need (`JournalRole` in the program). Inserts of records are granted by column, so that no
-- role can set the time of recording, the record number (`record_id`) or an id that the journal assigns. What is not
-- granted here is left to the owner: migrations, the erasure of full answers, `advance_origin_id` and the doubts after
-- a restored backup.

revoke execute on all functions in schema giro from public;
-- The check constraints of columns with an operator's name call this function.
grant execute on function giro.is_operator(text) to giro_runtime, giro_operator, giro_client;
-- So does the check constraint of an inquiry's answer.
grant execute on function giro.is_lookup_answer(jsonb) to giro_runtime, giro_operator;

-- giro_runtime: the worker. It drives transfers and verifications, reconciles, and processes the inbox. It may not bind
-- references or release the emergency brake. Of what operators do, it records only decisions, and a `sending stop` that a
-- failover has lost.
grant select on
  giro.transfer, giro.reference, giro.request, giro.answer, giro.differing_values, giro.doubt, giro.perhaps_sent,
  giro.flags, giro.decision, giro.result, giro.annulment, giro.sending, giro.statistics, giro.open_transfer, giro.flagged_transfer, giro.recovery_place,
  giro.inquiry, giro.inquiry_answer, giro.incident_acknowledgement,
  giro.notification, giro.hint, giro.suspected_debit, giro.orphan_debit, giro.webhook_check,
  giro.verification, giro.verification_tracking, giro.verification_status, giro.verification_outcome,
  giro.verification_flags, giro.open_verification,
  giro.statement, giro.statement_line, giro.statement_end, giro.statement_match,
  giro.reconciliation, giro.reconciliation_listed, giro.reconciliation_item, giro.reconciliation_step,
  giro.reconciled, giro.not_asked,
  giro.reconciliation_end, giro.reconciliation_forgotten, giro.reconciliation_emptied,
  giro.break, giro.break_change, giro.break_seen
to giro_runtime;
-- A repeated insert must see that the row exists, but not its content.
grant select (request_id, seq) on giro.verification_answer to giro_runtime;

grant insert (origin_id, order_sha256, order_json, create_body_sha256) on giro.transfer to giro_runtime;
-- Both times are the journal's clock plus a duration of the worker's settings, which the journal does not know.
grant insert (origin_id, number, kind, run_id, resend_until, in_flight_until) on giro.request to giro_runtime;
grant insert (origin_id, number, digest, kind, bank_status, movement_id, network, network_id, posting_at, completed_at,
  echo, evidence_sha256, details) on giro.answer to giro_runtime;
grant insert (origin_id, number, sealed) on giro.differing_values to giro_runtime;
grant insert (origin_id, reason) on giro.doubt to giro_runtime;
grant insert (origin_id, seq, reasons, conflict) on giro.flags to giro_runtime;
grant insert (origin_id, seq, id, outcome, action, operator, operators, reason, bank_status, flags, after_number)
  on giro.decision to giro_runtime;
grant insert (origin_id, result) on giro.result to giro_runtime;
-- The bank gives `bank_posting_at` and `bank_completed_at`; the guard compares them with the bank's answer.
grant insert (origin_id, movement_id, network, network_id, amount, currency, evidence_number, bank_status,
    bank_posting_at, bank_completed_at, evidence_sha256, decided_by, operators, reason)
  on giro.annulment to giro_runtime;
grant update (origin_id) on giro.recovery_place to giro_runtime;
grant update (counts) on giro.statistics to giro_runtime;

grant insert (origin_id, number, asked_by) on giro.inquiry to giro_runtime;
grant insert (origin_id, number, answer, agrees, fact) on giro.inquiry_answer to giro_runtime;

-- Notifications are not records: their rows change and are deleted.
grant update (due_at, tries, unfinished, outcome, done_at), delete on giro.notification to giro_runtime;
grant insert, update, delete on giro.hint to giro_runtime;
grant insert (delivery_key, movement_type, origin_ids, movement_ids, network_ids, ask_at),
    update (ask_at, asked, not_found), delete
  on giro.suspected_debit to giro_runtime;
grant execute on function giro.confirm_debit(text, bigint[], text[], text[]) to giro_runtime;
grant insert (findings) on giro.webhook_check to giro_runtime;

grant insert (request_id) on giro.verification to giro_runtime;
grant insert (request_id, seq, is_tracked) on giro.verification_tracking to giro_runtime;
-- The bank gives `status_at`.
grant insert (request_id, seq, status, meaning, status_at, evidence_sha256) on giro.verification_status to giro_runtime;
grant insert (request_id, seq, outcome) on giro.verification_outcome to giro_runtime;
grant insert (request_id, seq, reasons) on giro.verification_flags to giro_runtime;
grant insert (request_id, seq, sealed) on giro.verification_answer to giro_runtime;
grant update (checked_at) on giro.open_verification to giro_runtime;

-- The times say what the reconciliation is about; they are not times of recording.
grant insert (as_of, from_at, to_at, is_default_window, statement_id) on giro.reconciliation to giro_runtime;
grant insert (as_of, step, outcome) on giro.reconciliation_step to giro_runtime;
grant insert (as_of, origin_id, step, source, evidence_sha256, confirmed) on giro.reconciled to giro_runtime;
grant insert (as_of, step, origin_id, book, reason) on giro.not_asked to giro_runtime;
grant insert (as_of, report) on giro.reconciliation_end to giro_runtime;
grant insert (as_of, transfers) on giro.reconciliation_listed to giro_runtime;
grant insert (as_of) on giro.reconciliation_forgotten, giro.reconciliation_emptied to giro_runtime;
grant insert (key, version, break), update (version, break) on giro.break to giro_runtime;
grant insert (key, version, kind, state, severity, as_of) on giro.break_change to giro_runtime;
grant insert (as_of, key, step, break) on giro.break_seen to giro_runtime;
-- Only details of old runs: a guard refuses to delete the others.
grant delete on giro.reconciled, giro.not_asked, giro.break_seen, giro.statement_line to giro_runtime;
-- The lists of a run, which are deleted when the run has ended.
grant insert, delete on giro.reconciliation_item, giro.statement_match to giro_runtime;

grant usage, select on sequence giro.record_id to giro_runtime;
grant execute on function
  giro.journal_id(), giro.lock_transfer(bigint), giro.operator_key(text), giro.live_proposals(bigint),
  giro.accepted_by(bigint, text), giro.forgets_ids(giro.decision), giro.is_after(giro.answer, giro.decision),
  giro.has_two_movements(bigint), giro.annulment_agrees(bigint, jsonb), giro.create_refusal(bigint), giro.sending_over(bigint),
  giro.recover_stop(timestamptz, text, text), giro.takes_repeat_away(giro.decision, boolean),
  giro.resend_after(bigint), giro.is_end_accepted(bigint),
  giro.is_unbelieved(giro.answer), giro.standing_holds(bigint), giro.answer_json(giro.answer),
  giro.not_found_after(bigint, integer),
  giro.feed_lock_class(), giro.may_ask_at(bigint, float8, float8, float8, float8), giro.run_lock(timestamptz)
to giro_runtime;

-- giro_receiver: the receiver, which faces the internet. It puts notifications into the inbox. Of notifications it can
-- read only the columns that `on conflict` and `returning` need; for its quotas it reads the size and the cap of the
-- inbox.
grant select (id, delivery_key), insert (delivery_key, body, key_id) on giro.notification to giro_receiver;
grant select on giro.inbox_size, giro.inbox_cap to giro_receiver;

-- giro_operator: the commands of people. They read the journal, and record what people do.
grant select on
  giro.transfer, giro.reference, giro.request, giro.answer, giro.differing_values, giro.doubt, giro.perhaps_sent,
  giro.flags, giro.decision, giro.result, giro.annulment, giro.sending, giro.audit, giro.open_transfer, giro.flagged_transfer, giro.recovery_place,
  giro.inquiry, giro.inquiry_answer, giro.incident_acknowledgement, giro.orphan_debit,
  giro.verification, giro.verification_tracking, giro.verification_status, giro.verification_outcome,
  giro.verification_flags, giro.verification_answer, giro.open_verification,
  giro.statement, giro.statement_end, giro.reconciliation, giro.reconciliation_listed, giro.reconciliation_item,
  giro.reconciliation_step, giro.reconciled, giro.not_asked, giro.reconciliation_end, giro.reconciliation_forgotten,
  giro.break, giro.break_change, giro.break_seen
to giro_operator;
-- For `webhook unresolved`, which shows no bodies.
grant select (delivery_key, received_at, done_at, outcome, tries) on giro.notification to giro_operator;
grant select on giro.suspected_debit to giro_operator;
grant insert (stopped, operator, reason) on giro.sending to giro_operator;
grant insert (action, subject, operator, reason, details) on giro.audit to giro_operator;
grant insert (incident_id, origin_id, operator, note) on giro.incident_acknowledgement to giro_operator;
grant update (version, break) on giro.break to giro_operator;
grant insert (key, version, kind, state, severity, operator, note) on giro.break_change to giro_operator;
-- For `movement show` about a transfer that has ended.
grant insert (origin_id, number, asked_by) on giro.inquiry to giro_operator;
grant insert (origin_id, number, answer, agrees, fact) on giro.inquiry_answer to giro_operator;
-- `recover` marks what it has checked.
grant update (origin_id) on giro.recovery_place to giro_operator;
grant update (checked_at) on giro.open_verification to giro_operator;
-- For the import of a bank's statement; the bank gives `booked_at`.
grant insert (statement_id, line, ordinal, origin_id, movement_id, network_id, direction, amount, currency, booked_at,
    account, counterparty)
  on giro.statement_line to giro_operator;
grant insert (statement_id, sha256, summary) on giro.statement_end to giro_operator;

grant execute on function giro.statement_lock(bigint) to giro_operator;
grant usage, select on sequence giro.record_id to giro_operator;
grant execute on function
  giro.begin_statement(), giro.lock_transfer(bigint), giro.operator_key(text), giro.live_proposals(bigint),
  giro.forgets_ids(giro.decision),
  giro.is_after(giro.answer, giro.decision), giro.answer_json(giro.answer), giro.sending_over(bigint),
  giro.feed_lock_class(),
  giro.may_ask_at(bigint, float8, float8, float8, float8)
to giro_operator;

-- giro_client: backend services with a GiroClient, `transfer start` and `events`. It binds references, reads the events
-- (the columns that `event-sources.ts` selects: no free text of operators) and the encrypted full answers of
-- verifications, and records who read an answer. Of orders it sees only the fingerprints.
grant select (reference, origin_id, bound_at), insert (reference, origin_id) on giro.reference to giro_client;
grant select (reference_sha256, origin_id), insert (reference_sha256, origin_id) on giro.lost_reference to giro_client;
grant select, insert (journal_id) on giro.journal_mark to giro_client;
grant usage on sequence giro.mark_id to giro_client;
grant usage on sequence giro.origin_id to giro_client;
grant select (origin_id, order_sha256) on giro.transfer to giro_client;
grant select (origin_id, record_id, status, recorded_at) on giro.result to giro_client;
grant select on giro.result_event to giro_client;
grant select (origin_id, id, record_id, movement_id, network, network_id, amount, currency, bank_status,
    bank_posting_at, bank_completed_at, evidence_sha256, decided_by, operators, recorded_at)
  on giro.annulment to giro_client;
grant select (origin_id, seq, record_id, reasons, recorded_at) on giro.flags to giro_client;
grant select (origin_id, record_id, id, outcome, action, operator, operators, bank_status, recorded_at)
  on giro.decision to giro_client;
grant select (origin_id, record_id, incident_id, fact, bank_status, movement_id, answer, recorded_at)
  on giro.inquiry_answer to giro_client;
grant select (origin_id, record_id, incident_id, operator, recorded_at)
  on giro.incident_acknowledgement to giro_client;
grant select on giro.verification_answer to giro_client;
grant insert (action, subject, operator, reason, details) on giro.audit to giro_client;
grant usage, select on sequence giro.record_id to giro_client;
grant execute on function giro.feed_horizon(), giro.feed_lock_class(), giro.journal_id() to giro_client;
