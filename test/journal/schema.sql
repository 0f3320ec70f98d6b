annulment.origin_id bigint not null
annulment.id uuid not null default gen_random_uuid()
annulment.record_id bigint not null default nextval('giro.record_id'::regclass)
annulment.result_status text not null generated 'FAILED'::text
annulment.movement_id text
annulment.network text
annulment.network_id text
annulment.amount numeric(15,2) not null
annulment.currency text not null
annulment.evidence_number integer
annulment.bank_status text
annulment.bank_posting_at text
annulment.bank_completed_at text
annulment.evidence_sha256 text
annulment.decided_by text not null
annulment.operators text[] not null
annulment.reason text
annulment.recorded_at timestamp with time zone not null default clock_timestamp()
answer.origin_id bigint not null
answer.record_id bigint not null default nextval('giro.record_id'::regclass)
answer.recorded_at timestamp with time zone not null default clock_timestamp()
answer.number integer not null
answer.digest text not null
answer.kind text not null
answer.bank_status text
answer.movement_id text
answer.network text
answer.network_id text
answer.posting_at text
answer.completed_at text
answer.echo text
answer.evidence_sha256 bytea
answer.details jsonb
archive.sha256 text not null
archive.ended_from timestamp with time zone not null
archive.ended_before timestamp with time zone not null
archive.transfers bigint not null
archive.answers bigint not null
archive.operator text not null
archive.recorded_at timestamp with time zone not null default clock_timestamp()
audit.record_id bigint not null default nextval('giro.record_id'::regclass)
audit.action text not null
audit.subject text
audit.operator text not null
audit.reason text
audit.details jsonb not null default '{}'::jsonb
audit.recorded_at timestamp with time zone not null default clock_timestamp()
break.key text not null
break.version integer not null
break.break jsonb not null
break.origin_id bigint generated ((break ->> 'originId'::text))::bigint
break.class text not null generated (break ->> 'class'::text)
break.state text not null generated (break ->> 'state'::text)
break.book text not null generated (break ->> 'book'::text)
break.first_seen text not null generated (break ->> 'firstSeen'::text)
break_change.record_id bigint not null default nextval('giro.record_id'::regclass)
break_change.key text not null
break_change.version integer not null
break_change.kind text not null
break_change.state text not null
break_change.severity text not null
break_change.operator text
break_change.note text
break_change.as_of timestamp with time zone
break_change.recorded_at timestamp with time zone not null default clock_timestamp()
break_seen.as_of timestamp with time zone not null
break_seen.key text not null
break_seen.step integer not null
break_seen.break jsonb not null
decision.origin_id bigint not null
decision.seq integer not null
decision.record_id bigint not null default nextval('giro.record_id'::regclass)
decision.id text not null
decision.outcome text not null
decision.action text
decision.operator text
decision.operators text[] not null
decision.reason text not null
decision.bank_status text
decision.flags text[] not null default '{}'::text[]
decision.after_number integer not null default 0
decision.recorded_at timestamp with time zone not null default clock_timestamp()
decision.line text
decision.signature text
decision.key_fingerprint text
decision.line_sha256 text
differing_values.origin_id bigint not null
differing_values.number integer not null
differing_values.sealed text not null
differing_values.recorded_at timestamp with time zone not null default clock_timestamp()
doubt.record_id bigint not null default nextval('giro.record_id'::regclass)
doubt.origin_id bigint not null
doubt.reason text not null
doubt.recorded_at timestamp with time zone not null default clock_timestamp()
flagged_transfer.origin_id bigint not null
flagged_transfer.opened_at timestamp with time zone not null
flagged_transfer.reasons text[] not null
flags.origin_id bigint not null
flags.seq integer not null
flags.record_id bigint not null default nextval('giro.record_id'::regclass)
flags.reasons text[] not null
flags.conflict text
flags.recorded_at timestamp with time zone not null default clock_timestamp()
hint.workflow_id text not null
hint.granted_at timestamp with time zone not null
hint.delivered_at timestamp with time zone
inbox_cap.is_only boolean not null default true
inbox_cap.max_rows bigint not null
inbox_cap.max_bytes bigint not null
inbox_size.slot integer not null
inbox_size.row_count bigint not null
inbox_size.byte_count bigint not null
incident_acknowledgement.incident_id uuid not null
incident_acknowledgement.record_id bigint not null default nextval('giro.record_id'::regclass)
incident_acknowledgement.origin_id bigint not null
incident_acknowledgement.operator text not null
incident_acknowledgement.note text not null
incident_acknowledgement.recorded_at timestamp with time zone not null default clock_timestamp()
inquiry.origin_id bigint not null
inquiry.number integer not null
inquiry.asked_by text not null
inquiry.claimed_at timestamp with time zone not null default clock_timestamp()
inquiry_answer.origin_id bigint not null
inquiry_answer.number integer not null
inquiry_answer.answer jsonb not null
inquiry_answer.agrees boolean
inquiry_answer.fact text
inquiry_answer.incident_id uuid
inquiry_answer.record_id bigint
inquiry_answer.kind text not null generated (answer ->> 'kind'::text)
inquiry_answer.bank_status text generated (answer #>> '{movement,status}'::text[])
inquiry_answer.movement_id text generated (answer #>> '{movement,movementId}'::text[])
inquiry_answer.recorded_at timestamp with time zone not null default clock_timestamp()
journal_mark.mark_id bigint not null default nextval('giro.mark_id'::regclass)
journal_mark.journal_id text not null
journal_mark.marked_at timestamp with time zone not null default clock_timestamp()
lost_reference.reference_sha256 text not null
lost_reference.origin_id bigint not null
lost_reference.noted_at timestamp with time zone not null default clock_timestamp()
migration.number integer not null
migration.name text not null
migration.checksum text not null
migration.applied_at timestamp with time zone not null default clock_timestamp()
not_asked.as_of timestamp with time zone not null
not_asked.step integer not null
not_asked.origin_id bigint not null
not_asked.book text not null
not_asked.reason text not null
notification.id bigint not null
notification.delivery_key text not null
notification.body bytea not null
notification.key_id text
notification.received_at timestamp with time zone not null default clock_timestamp()
notification.due_at timestamp with time zone default clock_timestamp()
notification.tries integer not null default 0
notification.unfinished integer not null default 0
notification.outcome text
notification.done_at timestamp with time zone
open_transfer.origin_id bigint not null
open_transfer.opened_at timestamp with time zone not null
open_transfer.bank_status text
open_transfer.stage text not null default 'sending'::text
open_transfer.status text not null default 'sending'::text
open_transfer.is_sent boolean not null default false
open_transfer.unanswered_creates integer not null default 0
open_verification.request_id text not null
open_verification.checked_at timestamp with time zone not null
orphan_debit.record_id bigint not null default nextval('giro.record_id'::regclass)
orphan_debit.delivery_key text not null
orphan_debit.movement_type text
orphan_debit.origin_ids bigint[] not null
orphan_debit.movement_ids text[] not null
orphan_debit.network_ids text[] not null
orphan_debit.received_at timestamp with time zone not null
orphan_debit.recorded_at timestamp with time zone not null default clock_timestamp()
perhaps_sent.origin_id bigint
perhaps_sent.number integer
perhaps_sent.claimed_at timestamp with time zone
perhaps_sent.resend_until timestamp with time zone
reconciled.as_of timestamp with time zone not null
reconciled.origin_id bigint not null
reconciled.step integer not null
reconciled.source text not null
reconciled.evidence_sha256 text
reconciled.confirmed boolean not null
reconciliation.as_of timestamp with time zone not null
reconciliation.from_at timestamp with time zone not null
reconciliation.to_at timestamp with time zone not null
reconciliation.is_default_window boolean not null
reconciliation.statement_id bigint
reconciliation.started_at timestamp with time zone not null default clock_timestamp()
reconciliation_emptied.as_of timestamp with time zone not null
reconciliation_emptied.recorded_at timestamp with time zone not null default clock_timestamp()
reconciliation_end.as_of timestamp with time zone not null
reconciliation_end.report jsonb not null
reconciliation_end.outcome text not null generated (report ->> 'outcome'::text)
reconciliation_end.recorded_at timestamp with time zone not null default clock_timestamp()
reconciliation_forgotten.as_of timestamp with time zone not null
reconciliation_forgotten.recorded_at timestamp with time zone not null default clock_timestamp()
reconciliation_item.as_of timestamp with time zone not null
reconciliation_item.origin_id bigint not null
reconciliation_listed.as_of timestamp with time zone not null
reconciliation_listed.transfers integer not null
reconciliation_listed.recorded_at timestamp with time zone not null default clock_timestamp()
reconciliation_step.as_of timestamp with time zone not null
reconciliation_step.step integer not null
reconciliation_step.outcome jsonb not null
reconciliation_step.recorded_at timestamp with time zone not null default clock_timestamp()
recovery_place.only_row boolean not null default true
recovery_place.origin_id bigint not null
reference.reference text not null
reference.origin_id bigint not null
reference.bound_at timestamp with time zone not null default clock_timestamp()
report_link.sequence integer not null
report_link.as_of timestamp with time zone not null
report_link.cursor text
report_link.up_to bigint not null generated COALESCE((split_part(cursor, '-'::text, 2))::bigint, (0)::bigint)
report_link.records bigint not null
report_link.previous_sha256 text not null
report_link.sha256 text not null
report_link.recorded_at timestamp with time zone not null default clock_timestamp()
request.origin_id bigint not null
request.number integer not null
request.kind text not null
request.run_id text not null
request.resend_until timestamp with time zone
request.in_flight_until timestamp with time zone
request.claimed_at timestamp with time zone not null default clock_timestamp()
result.origin_id bigint not null
result.record_id bigint not null default nextval('giro.record_id'::regclass)
result.result jsonb not null
result.status text not null generated (result ->> 'status'::text)
result.annulment_id uuid generated ((result ->> 'annulmentId'::text))::uuid
result.opened_at timestamp with time zone not null
result.recorded_at timestamp with time zone not null default clock_timestamp()
result_event.origin_id bigint
result_event.result jsonb
sending.record_id bigint not null
sending.stopped boolean not null
sending.operator text not null
sending.reason text not null
sending.recorded_at timestamp with time zone not null
statement.id bigint not null default nextval('giro.record_id'::regclass)
statement.recorded_at timestamp with time zone not null default clock_timestamp()
statement_end.statement_id bigint not null
statement_end.sha256 text not null
statement_end.summary jsonb not null
statement_end.recorded_at timestamp with time zone not null default clock_timestamp()
statement_line.statement_id bigint not null
statement_line.line integer not null
statement_line.ordinal integer not null
statement_line.account text
statement_line.origin_id bigint
statement_line.movement_id text
statement_line.network_id text
statement_line.direction text not null
statement_line.amount numeric(15,2) not null
statement_line.currency text not null
statement_line.booked_at timestamp with time zone not null
statement_line.counterparty text
statement_match.as_of timestamp with time zone not null
statement_match.line integer not null
statement_match.origin_id bigint not null
statistics.only_row boolean not null default true
statistics.taken_at timestamp with time zone not null
statistics.counts jsonb not null
suspected_debit.id bigint not null
suspected_debit.delivery_key text not null
suspected_debit.movement_type text
suspected_debit.origin_ids bigint[] not null
suspected_debit.movement_ids text[] not null
suspected_debit.network_ids text[] not null
suspected_debit.received_at timestamp with time zone not null
suspected_debit.ask_at timestamp with time zone
suspected_debit.asked integer not null default 0
suspected_debit.not_found integer not null default 0
transfer.origin_id bigint not null
transfer.order_sha256 text not null
transfer.order_json jsonb not null
transfer.create_body_sha256 text not null
transfer.opened_at timestamp with time zone not null default clock_timestamp()
transfer.proof text
verification.request_id text not null
verification.opened_at timestamp with time zone not null default clock_timestamp()
verification_answer.request_id text not null
verification_answer.seq integer not null
verification_answer.sealed text not null
verification_answer.recorded_at timestamp with time zone not null default clock_timestamp()
verification_flags.request_id text not null
verification_flags.seq integer not null
verification_flags.reasons text[] not null
verification_flags.recorded_at timestamp with time zone not null default clock_timestamp()
verification_outcome.request_id text not null
verification_outcome.seq integer not null
verification_outcome.outcome text not null
verification_outcome.recorded_at timestamp with time zone not null default clock_timestamp()
verification_status.request_id text not null
verification_status.seq integer not null
verification_status.status text not null
verification_status.meaning text not null
verification_status.status_at timestamp with time zone
verification_status.evidence_sha256 text not null
verification_status.recorded_at timestamp with time zone not null default clock_timestamp()
verification_tracking.request_id text not null
verification_tracking.seq integer not null
verification_tracking.is_tracked boolean not null
verification_tracking.recorded_at timestamp with time zone not null default clock_timestamp()
webhook_check.record_id bigint not null default nextval('giro.record_id'::regclass)
webhook_check.findings jsonb not null
webhook_check.recorded_at timestamp with time zone not null default clock_timestamp()
giro.annulment constraint annulment_amount_check CHECK ((amount > (0)::numeric))
giro.annulment constraint annulment_decided_by_check CHECK ((decided_by = ANY (ARRAY['bank'::text, 'operators'::text])))
giro.annulment constraint annulment_id_key UNIQUE (id)
giro.annulment constraint annulment_origin_id_evidence_number_fkey FOREIGN KEY (origin_id, evidence_number) REFERENCES giro.answer(origin_id, number)
giro.annulment constraint annulment_origin_id_fkey FOREIGN KEY (origin_id) REFERENCES giro.transfer(origin_id)
giro.annulment constraint annulment_origin_id_id_key UNIQUE (origin_id, id)
giro.annulment constraint annulment_origin_id_result_status_fkey FOREIGN KEY (origin_id, result_status) REFERENCES giro.result(origin_id, status) DEFERRABLE INITIALLY DEFERRED
giro.annulment constraint annulment_pkey PRIMARY KEY (origin_id)
giro.annulment constraint annulment_record_id_key UNIQUE (record_id)
giro.answer constraint answer_check CHECK (
CASE
    WHEN (kind = ANY (ARRAY['answered'::text, 'movement'::text])) THEN (num_nulls(bank_status, echo, evidence_sha256) = 0)
    ELSE (num_nonnulls(bank_status, movement_id, network, network_id, posting_at, completed_at, echo, evidence_sha256, (details -> 'movement'::text)) = 0)
END)
giro.answer constraint answer_details_check CHECK (((jsonb_typeof(details) = 'object'::text) AND (NOT (details ? 'kind'::text)) AND COALESCE((jsonb_typeof((details -> 'movement'::text)) = 'object'::text), true)))
giro.answer constraint answer_echo_check CHECK ((echo = ANY (ARRAY['match'::text, 'incomplete'::text, 'mismatch'::text])))
giro.answer constraint answer_evidence_sha256_check CHECK ((length(evidence_sha256) = 32))
giro.answer constraint answer_kind_check CHECK ((kind = ANY (ARRAY['answered'::text, 'not-sent'::text, 'refused'::text, 'unknown'::text, 'movement'::text, 'not-found'::text, 'no-answer'::text])))
giro.answer constraint answer_origin_id_number_fkey FOREIGN KEY (origin_id, number) REFERENCES giro.request(origin_id, number)
giro.answer constraint answer_pkey PRIMARY KEY (origin_id, number)
giro.archive constraint archive_check CHECK ((answers >= transfers))
giro.archive constraint archive_check1 CHECK ((ended_from < ended_before))
giro.archive constraint archive_operator_check CHECK (giro.is_operator(operator))
giro.archive constraint archive_pkey PRIMARY KEY (sha256)
giro.archive constraint archive_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
giro.archive constraint archive_transfers_check CHECK ((transfers >= 1))
giro.audit constraint audit_action_check CHECK ((action ~ '^[a-z][a-z-]{0,39}( [a-z][a-z-]{0,39})?$'::text))
giro.audit constraint audit_details_check CHECK ((jsonb_typeof(details) = 'object'::text))
giro.audit constraint audit_operator_check CHECK (giro.is_operator(operator))
giro.audit constraint audit_pkey PRIMARY KEY (record_id)
giro.audit constraint audit_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 1000)))
giro.audit constraint audit_subject_check CHECK (((char_length(subject) >= 1) AND (char_length(subject) <= 255)))
giro.break_change constraint break_change_as_of_fkey FOREIGN KEY (as_of) REFERENCES giro.reconciliation(as_of)
giro.break_change constraint break_change_check CHECK (((operator IS NULL) = (as_of IS NOT NULL)))
giro.break_change constraint break_change_check1 CHECK ((state =
CASE
    WHEN (kind = ANY (ARRAY['acknowledged'::text, 'resolved'::text])) THEN kind
    ELSE 'open'::text
END))
giro.break_change constraint break_change_check2 CHECK (
CASE
    WHEN (operator IS NULL) THEN (kind <> 'acknowledged'::text)
    ELSE (kind = ANY (ARRAY['acknowledged'::text, 'resolved'::text]))
END)
giro.break_change constraint break_change_key_fkey FOREIGN KEY (key) REFERENCES giro.break(key)
giro.break_change constraint break_change_key_version_key UNIQUE (key, version)
giro.break_change constraint break_change_kind_check CHECK ((kind = ANY (ARRAY['opened'::text, 'changed'::text, 'acknowledged'::text, 'resolved'::text, 'reopened'::text])))
giro.break_change constraint break_change_note_check CHECK (((char_length(note) >= 1) AND (char_length(note) <= 1000)))
giro.break_change constraint break_change_operator_check CHECK (giro.is_operator(operator))
giro.break_change constraint break_change_pkey PRIMARY KEY (record_id)
giro.break_change constraint break_change_state_check CHECK ((state = ANY (ARRAY['open'::text, 'acknowledged'::text, 'resolved'::text])))
giro.break_seen constraint break_seen_as_of_step_fkey FOREIGN KEY (as_of, step) REFERENCES giro.reconciliation_step(as_of, step)
giro.break_seen constraint break_seen_key_fkey FOREIGN KEY (key) REFERENCES giro.break(key)
giro.break_seen constraint break_seen_pkey PRIMARY KEY (as_of, key, step)
giro.break constraint break_check CHECK (((break ->> 'key'::text) = key))
giro.break constraint break_class_check CHECK ((class ~ '^[A-Z][A-Z_]{0,39}$'::text))
giro.break constraint break_key_check CHECK (((char_length(key) >= 1) AND (char_length(key) <= 300)))
giro.break constraint break_pkey PRIMARY KEY (key)
giro.break constraint break_state_check CHECK ((state = ANY (ARRAY['open'::text, 'acknowledged'::text, 'resolved'::text])))
giro.break constraint break_version_check CHECK ((version >= 1))
giro.decision constraint decision_action_check CHECK ((action = ANY (ARRAY['resume'::text, 'resend'::text, 'accept-not-taken'::text, 'accept-completed'::text, 'accept-failed'::text, 'withdraw'::text])))
giro.decision constraint decision_check CHECK ((((outcome = 'voided'::text) = (operator IS NULL)) AND ((outcome = 'voided'::text) = (action IS NULL))))
giro.decision constraint decision_check1 CHECK (
CASE outcome
    WHEN 'resumed'::text THEN (action = 'resume'::text)
    WHEN 'withdrawn'::text THEN (action = 'withdraw'::text)
    WHEN 'voided'::text THEN true
    ELSE (action <> ALL (ARRAY['resume'::text, 'withdraw'::text]))
END)
giro.decision constraint decision_key_fingerprint_check CHECK ((key_fingerprint ~ '^SHA256:[A-Za-z0-9+/]{43}$'::text))
giro.decision constraint decision_line_sha256_key UNIQUE (line_sha256)
giro.decision constraint decision_operator_check CHECK (giro.is_operator(operator))
giro.decision constraint decision_origin_id_fkey FOREIGN KEY (origin_id) REFERENCES giro.transfer(origin_id)
giro.decision constraint decision_origin_id_id_key UNIQUE (origin_id, id)
giro.decision constraint decision_outcome_check CHECK ((outcome = ANY (ARRAY['proposed'::text, 'accepted'::text, 'resumed'::text, 'withdrawn'::text, 'voided'::text])))
giro.decision constraint decision_pkey PRIMARY KEY (origin_id, seq)
giro.decision constraint decision_record_id_key UNIQUE (record_id)
giro.decision constraint decision_seq_check CHECK ((seq >= 1))
giro.decision constraint decision_signature_check CHECK ((char_length(signature) <= 4096))
giro.decision constraint decision_signed_whole CHECK (((num_nulls(line, signature, key_fingerprint, line_sha256) = ANY (ARRAY[0, 4])) AND ((line IS NULL) OR (operator IS NOT NULL))))
giro.differing_values constraint differing_values_origin_id_number_fkey FOREIGN KEY (origin_id, number) REFERENCES giro.answer(origin_id, number)
giro.differing_values constraint differing_values_pkey PRIMARY KEY (origin_id, number)
giro.differing_values constraint differing_values_sealed_check CHECK ((sealed ~ '^[A-Za-z0-9._-]{1,64}:[A-Za-z0-9+/]+={0,2}$'::text))
giro.doubt constraint doubt_origin_id_fkey FOREIGN KEY (origin_id) REFERENCES giro.transfer(origin_id)
giro.doubt constraint doubt_pkey PRIMARY KEY (record_id)
giro.doubt constraint doubt_reason_check CHECK ((reason = ANY (ARRAY['restored'::text, 'requests-lost'::text, 'journal-changed'::text])))
giro.flagged_transfer constraint flagged_transfer_pkey PRIMARY KEY (origin_id)
giro.flags constraint flags_origin_id_fkey FOREIGN KEY (origin_id) REFERENCES giro.transfer(origin_id)
giro.flags constraint flags_pkey PRIMARY KEY (origin_id, seq)
giro.flags constraint flags_record_id_key UNIQUE (record_id)
giro.flags constraint flags_seq_check CHECK ((seq >= 1))
giro.hint constraint hint_pkey PRIMARY KEY (workflow_id)
giro.hint constraint hint_workflow_id_check CHECK (((char_length(workflow_id) >= 1) AND (char_length(workflow_id) <= 255)))
giro.inbox_cap constraint inbox_cap_is_only_check CHECK (is_only)
giro.inbox_cap constraint inbox_cap_pkey PRIMARY KEY (is_only)
giro.inbox_size constraint inbox_size_pkey PRIMARY KEY (slot)
giro.inbox_size constraint inbox_size_slot_check CHECK (((slot >= 0) AND (slot <= 31)))
giro.incident_acknowledgement constraint incident_acknowledgement_incident_id_origin_id_fkey FOREIGN KEY (incident_id, origin_id) REFERENCES giro.inquiry_answer(incident_id, origin_id)
giro.incident_acknowledgement constraint incident_acknowledgement_note_check CHECK (((char_length(note) >= 1) AND (char_length(note) <= 1000)))
giro.incident_acknowledgement constraint incident_acknowledgement_operator_check CHECK (giro.is_operator(operator))
giro.incident_acknowledgement constraint incident_acknowledgement_pkey PRIMARY KEY (incident_id)
giro.incident_acknowledgement constraint incident_acknowledgement_record_id_key UNIQUE (record_id)
giro.inquiry_answer constraint inquiry_answer_answer_check CHECK (giro.is_lookup_answer(answer))
giro.inquiry_answer constraint inquiry_answer_check CHECK (((kind <> 'no-answer'::text) OR (agrees IS NULL)))
giro.inquiry_answer constraint inquiry_answer_check1 CHECK (((agrees IS FALSE) = (fact IS NOT NULL)))
giro.inquiry_answer constraint inquiry_answer_check2 CHECK ((((incident_id IS NULL) = (record_id IS NULL)) AND ((incident_id IS NULL) OR (fact IS NOT NULL))))
giro.inquiry_answer constraint inquiry_answer_fact_check CHECK ((fact ~ '^[A-Z][A-Z_]{0,39}$'::text))
giro.inquiry_answer constraint inquiry_answer_incident_id_origin_id_key UNIQUE (incident_id, origin_id)
giro.inquiry_answer constraint inquiry_answer_kind_check CHECK ((kind = ANY (ARRAY['movement'::text, 'not-found'::text, 'no-answer'::text])))
giro.inquiry_answer constraint inquiry_answer_origin_id_number_fkey FOREIGN KEY (origin_id, number) REFERENCES giro.inquiry(origin_id, number)
giro.inquiry_answer constraint inquiry_answer_pkey PRIMARY KEY (origin_id, number)
giro.inquiry_answer constraint inquiry_answer_record_id_key UNIQUE (record_id)
giro.inquiry constraint inquiry_asked_by_check CHECK ((asked_by ~ '^[a-z][A-Za-z0-9 :-]{0,49}$'::text))
giro.inquiry constraint inquiry_number_check CHECK ((number >= 1))
giro.inquiry constraint inquiry_pkey PRIMARY KEY (origin_id, number)
giro.journal_mark constraint journal_mark_pkey PRIMARY KEY (mark_id)
giro.lost_reference constraint lost_reference_origin_id_check CHECK (((origin_id >= 1) AND (origin_id <= '9007199254740991'::bigint)))
giro.lost_reference constraint lost_reference_origin_id_key UNIQUE (origin_id)
giro.lost_reference constraint lost_reference_pkey PRIMARY KEY (reference_sha256)
giro.lost_reference constraint lost_reference_reference_sha256_check CHECK ((reference_sha256 ~ '^[0-9a-f]{64}$'::text))
giro.migration constraint migration_pkey PRIMARY KEY (number)
giro.not_asked constraint not_asked_as_of_step_fkey FOREIGN KEY (as_of, step) REFERENCES giro.reconciliation_step(as_of, step)
giro.not_asked constraint not_asked_book_check CHECK ((book ~ '^[a-z]{1,20}$'::text))
giro.not_asked constraint not_asked_pkey PRIMARY KEY (as_of, origin_id, book, step)
giro.not_asked constraint not_asked_reason_check CHECK ((reason ~ '^[A-Z][A-Z_]{0,39}$'::text))
giro.notification constraint notification_body_check CHECK ((octet_length(body) <= (257 * 1024)))
giro.notification constraint notification_check CHECK (((due_at IS NULL) = (done_at IS NOT NULL)))
giro.notification constraint notification_check1 CHECK (((outcome IS NULL) = (done_at IS NULL)))
giro.notification constraint notification_delivery_key_check CHECK (((char_length(delivery_key) >= 1) AND (char_length(delivery_key) <= 255)))
giro.notification constraint notification_delivery_key_key UNIQUE (delivery_key)
giro.notification constraint notification_key_id_check CHECK (((char_length(key_id) >= 1) AND (char_length(key_id) <= 64)))
giro.notification constraint notification_outcome_check CHECK ((outcome = ANY (ARRAY['hinted'::text, 'merged'::text, 'ended'::text, 'orphan'::text, 'not-ours'::text, 'unreadable'::text, 'set-aside'::text])))
giro.notification constraint notification_pkey PRIMARY KEY (id)
giro.open_transfer constraint open_transfer_pkey PRIMARY KEY (origin_id)
giro.open_transfer constraint open_transfer_stage_check CHECK ((stage = ANY (ARRAY['sending'::text, 'looking-up'::text, 'polling'::text])))
giro.open_verification constraint open_verification_pkey PRIMARY KEY (request_id)
giro.orphan_debit constraint orphan_debit_delivery_key_check CHECK (((char_length(delivery_key) >= 1) AND (char_length(delivery_key) <= 255)))
giro.orphan_debit constraint orphan_debit_delivery_key_key UNIQUE (delivery_key)
giro.orphan_debit constraint orphan_debit_movement_type_check CHECK ((movement_type ~ '^[A-Z][A-Z0-9_]{0,63}$'::text))
giro.orphan_debit constraint orphan_debit_pkey PRIMARY KEY (record_id)
giro.reconciled constraint reconciled_as_of_step_fkey FOREIGN KEY (as_of, step) REFERENCES giro.reconciliation_step(as_of, step)
giro.reconciled constraint reconciled_check CHECK (((NOT confirmed) OR (source = 'asked'::text)))
giro.reconciled constraint reconciled_pkey PRIMARY KEY (as_of, origin_id)
giro.reconciled constraint reconciled_source_check CHECK ((source = ANY (ARRAY['asked'::text, 'recorded'::text, 'not-asked'::text])))
giro.reconciliation_emptied constraint reconciliation_emptied_as_of_fkey FOREIGN KEY (as_of) REFERENCES giro.reconciliation_forgotten(as_of)
giro.reconciliation_emptied constraint reconciliation_emptied_pkey PRIMARY KEY (as_of)
giro.reconciliation_end constraint reconciliation_end_as_of_fkey FOREIGN KEY (as_of) REFERENCES giro.reconciliation(as_of)
giro.reconciliation_end constraint reconciliation_end_outcome_check CHECK ((outcome = ANY (ARRAY['CLEAN'::text, 'BREAKS'::text, 'PARTIAL'::text])))
giro.reconciliation_end constraint reconciliation_end_pkey PRIMARY KEY (as_of)
giro.reconciliation_end constraint reconciliation_end_report_check CHECK ((jsonb_typeof(report) = 'object'::text))
giro.reconciliation_forgotten constraint reconciliation_forgotten_as_of_fkey FOREIGN KEY (as_of) REFERENCES giro.reconciliation(as_of)
giro.reconciliation_forgotten constraint reconciliation_forgotten_pkey PRIMARY KEY (as_of)
giro.reconciliation_item constraint reconciliation_item_pkey PRIMARY KEY (as_of, origin_id)
giro.reconciliation_listed constraint reconciliation_listed_as_of_fkey FOREIGN KEY (as_of) REFERENCES giro.reconciliation(as_of)
giro.reconciliation_listed constraint reconciliation_listed_pkey PRIMARY KEY (as_of)
giro.reconciliation_listed constraint reconciliation_listed_transfers_check CHECK ((transfers >= 0))
giro.reconciliation_step constraint reconciliation_step_as_of_fkey FOREIGN KEY (as_of) REFERENCES giro.reconciliation(as_of)
giro.reconciliation_step constraint reconciliation_step_outcome_check CHECK ((jsonb_typeof(outcome) = 'object'::text))
giro.reconciliation_step constraint reconciliation_step_pkey PRIMARY KEY (as_of, step)
giro.reconciliation_step constraint reconciliation_step_step_check CHECK ((step >= 1))
giro.reconciliation constraint reconciliation_as_of_check CHECK ((as_of = date_trunc('second'::text, as_of)))
giro.reconciliation constraint reconciliation_check CHECK ((from_at <= to_at))
giro.reconciliation constraint reconciliation_pkey PRIMARY KEY (as_of)
giro.reconciliation constraint reconciliation_statement_id_fkey FOREIGN KEY (statement_id) REFERENCES giro.statement_end(statement_id)
giro.reconciliation constraint reconciliation_years_check CHECK (((timezone('UTC'::text, LEAST(as_of, from_at)) >= '0001-01-01 00:00:00'::timestamp without time zone) AND (timezone('UTC'::text, GREATEST(as_of, to_at)) < '10000-01-01 00:00:00'::timestamp without time zone)))
giro.recovery_place constraint recovery_place_only_row_check CHECK (only_row)
giro.recovery_place constraint recovery_place_origin_id_check CHECK (((origin_id >= 0) AND (origin_id <= '9007199254740991'::bigint)))
giro.recovery_place constraint recovery_place_pkey PRIMARY KEY (only_row)
giro.reference constraint reference_origin_id_check CHECK (((origin_id >= 1) AND (origin_id <= '9007199254740991'::bigint)))
giro.reference constraint reference_origin_id_key UNIQUE (origin_id)
giro.reference constraint reference_pkey PRIMARY KEY (reference)
giro.reference constraint reference_reference_check CHECK (((char_length(reference) >= 1) AND (char_length(reference) <= 64)))
giro.report_link constraint report_link_as_of_fkey FOREIGN KEY (as_of) REFERENCES giro.reconciliation_end(as_of)
giro.report_link constraint report_link_as_of_key UNIQUE (as_of)
giro.report_link constraint report_link_cursor_check CHECK ((cursor ~ '^e1-[1-9][0-9]{0,18}-[0-9a-f]{16}$'::text))
giro.report_link constraint report_link_pkey PRIMARY KEY (sequence)
giro.report_link constraint report_link_previous_sha256_check CHECK ((previous_sha256 ~ '^[0-9a-f]{64}$'::text))
giro.report_link constraint report_link_records_check CHECK ((records >= 0))
giro.report_link constraint report_link_sequence_check CHECK ((sequence >= 1))
giro.report_link constraint report_link_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
giro.request constraint request_kind_check CHECK ((kind = ANY (ARRAY['create'::text, 'lookup'::text, 'withdrawal'::text])))
giro.request constraint request_number_check CHECK ((number >= 1))
giro.request constraint request_origin_id_fkey FOREIGN KEY (origin_id) REFERENCES giro.transfer(origin_id)
giro.request constraint request_pkey PRIMARY KEY (origin_id, number)
giro.result constraint result_check CHECK ((((result ->> 'originId'::text))::bigint = origin_id))
giro.result constraint result_check1 CHECK (((status = 'FAILED'::text) = (annulment_id IS NOT NULL)))
giro.result constraint result_numbers_check CHECK ((NOT (result @? '$.**?(@ < -9007199254740991 || @ > 9007199254740991)'::jsonpath)))
giro.result constraint result_origin_id_annulment_id_fkey FOREIGN KEY (origin_id, annulment_id) REFERENCES giro.annulment(origin_id, id) DEFERRABLE INITIALLY DEFERRED
giro.result constraint result_origin_id_fkey FOREIGN KEY (origin_id) REFERENCES giro.transfer(origin_id)
giro.result constraint result_origin_id_status_key UNIQUE (origin_id, status)
giro.result constraint result_pkey PRIMARY KEY (origin_id)
giro.result constraint result_record_id_key UNIQUE (record_id)
giro.result constraint result_status_check CHECK ((status = ANY (ARRAY['COMPLETED'::text, 'FAILED'::text, 'REFUSED'::text, 'WITHDRAWN'::text])))
giro.sending constraint sending_operator_check CHECK (giro.is_operator(operator))
giro.sending constraint sending_pkey PRIMARY KEY (record_id)
giro.sending constraint sending_reason_check CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 200)))
giro.statement_end constraint statement_end_pkey PRIMARY KEY (statement_id)
giro.statement_end constraint statement_end_sha256_check CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
giro.statement_end constraint statement_end_statement_id_fkey FOREIGN KEY (statement_id) REFERENCES giro.statement(id)
giro.statement_end constraint statement_end_summary_check CHECK ((jsonb_typeof(summary) = 'object'::text))
giro.statement_line constraint statement_line_account_check CHECK ((account ~ '^[0-9a-f]{8}$'::text))
giro.statement_line constraint statement_line_direction_check CHECK ((direction = ANY (ARRAY['debit'::text, 'credit'::text])))
giro.statement_line constraint statement_line_line_check CHECK ((line >= 1))
giro.statement_line constraint statement_line_ordinal_check CHECK ((ordinal >= 1))
giro.statement_line constraint statement_line_pkey PRIMARY KEY (statement_id, line)
giro.statement_line constraint statement_line_statement_id_fkey FOREIGN KEY (statement_id) REFERENCES giro.statement(id)
giro.statement_line constraint statement_line_years_check CHECK (((timezone('UTC'::text, booked_at) >= '2000-01-01 00:00:00'::timestamp without time zone) AND (timezone('UTC'::text, booked_at) < '3000-01-01 00:00:00'::timestamp without time zone)))
giro.statement_match constraint statement_match_pkey PRIMARY KEY (as_of, line)
giro.statement constraint statement_pkey PRIMARY KEY (id)
giro.statistics constraint statistics_only_row_check CHECK (only_row)
giro.statistics constraint statistics_pkey PRIMARY KEY (only_row)
giro.suspected_debit constraint suspected_debit_delivery_key_check CHECK (((char_length(delivery_key) >= 1) AND (char_length(delivery_key) <= 255)))
giro.suspected_debit constraint suspected_debit_delivery_key_key UNIQUE (delivery_key)
giro.suspected_debit constraint suspected_debit_movement_type_check CHECK ((movement_type ~ '^[A-Z][A-Z0-9_]{0,63}$'::text))
giro.suspected_debit constraint suspected_debit_pkey PRIMARY KEY (id)
giro.transfer constraint transfer_create_body_sha256_check CHECK ((create_body_sha256 ~ '^[0-9a-f]{64}$'::text))
giro.transfer constraint transfer_order_sha256_check CHECK ((order_sha256 ~ '^[0-9a-f]{64}$'::text))
giro.transfer constraint transfer_origin_id_check CHECK (((origin_id >= 1) AND (origin_id <= '9007199254740991'::bigint)))
giro.transfer constraint transfer_pkey PRIMARY KEY (origin_id)
giro.transfer constraint transfer_proof_check CHECK ((proof ~ '^[A-Za-z0-9_-]{1,255}\.\.[A-Za-z0-9_-]{86}$'::text))
giro.verification_answer constraint verification_answer_pkey PRIMARY KEY (request_id, seq)
giro.verification_answer constraint verification_answer_request_id_seq_fkey FOREIGN KEY (request_id, seq) REFERENCES giro.verification_status(request_id, seq)
giro.verification_answer constraint verification_answer_sealed_check CHECK ((sealed ~ '^[A-Za-z0-9._-]{1,64}:[A-Za-z0-9+/]+={0,2}$'::text))
giro.verification_flags constraint verification_flags_pkey PRIMARY KEY (request_id, seq)
giro.verification_flags constraint verification_flags_request_id_fkey FOREIGN KEY (request_id) REFERENCES giro.verification(request_id)
giro.verification_flags constraint verification_flags_seq_check CHECK ((seq >= 1))
giro.verification_outcome constraint verification_outcome_outcome_check CHECK ((outcome = ANY (ARRAY['approved'::text, 'rejected'::text])))
giro.verification_outcome constraint verification_outcome_pkey PRIMARY KEY (request_id)
giro.verification_outcome constraint verification_outcome_request_id_fkey FOREIGN KEY (request_id) REFERENCES giro.verification(request_id)
giro.verification_outcome constraint verification_outcome_request_id_seq_outcome_fkey FOREIGN KEY (request_id, seq, outcome) REFERENCES giro.verification_status(request_id, seq, meaning)
giro.verification_status constraint verification_status_evidence_sha256_check CHECK ((evidence_sha256 ~ '^[0-9a-f]{64}$'::text))
giro.verification_status constraint verification_status_meaning_check CHECK ((meaning = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'unmapped'::text])))
giro.verification_status constraint verification_status_pkey PRIMARY KEY (request_id, seq)
giro.verification_status constraint verification_status_request_id_fkey FOREIGN KEY (request_id) REFERENCES giro.verification(request_id)
giro.verification_status constraint verification_status_request_id_seq_meaning_key UNIQUE (request_id, seq, meaning)
giro.verification_status constraint verification_status_seq_check CHECK ((seq >= 1))
giro.verification_status constraint verification_status_status_check CHECK (((char_length(status) >= 1) AND (char_length(status) <= 100)))
giro.verification_status constraint verification_status_years_check CHECK (((timezone('UTC'::text, status_at) >= '0001-01-01 00:00:00'::timestamp without time zone) AND (timezone('UTC'::text, status_at) < '10000-01-01 00:00:00'::timestamp without time zone)))
giro.verification_tracking constraint verification_tracking_pkey PRIMARY KEY (request_id, seq)
giro.verification_tracking constraint verification_tracking_request_id_fkey FOREIGN KEY (request_id) REFERENCES giro.verification(request_id)
giro.verification_tracking constraint verification_tracking_seq_check CHECK ((seq >= 1))
giro.verification constraint verification_pkey PRIMARY KEY (request_id)
giro.verification constraint verification_request_id_check CHECK (((char_length(request_id) >= 1) AND (char_length(request_id) <= 128)))
giro.webhook_check constraint webhook_check_findings_check CHECK ((jsonb_typeof(findings) = 'array'::text))
giro.webhook_check constraint webhook_check_pkey PRIMARY KEY (record_id)
CREATE UNIQUE INDEX annulment_id_key ON giro.annulment USING btree (id)
CREATE UNIQUE INDEX annulment_origin_id_id_key ON giro.annulment USING btree (origin_id, id)
CREATE UNIQUE INDEX annulment_pkey ON giro.annulment USING btree (origin_id)
CREATE UNIQUE INDEX annulment_record_id_key ON giro.annulment USING btree (record_id)
CREATE INDEX annulment_recorded ON giro.annulment USING btree (recorded_at, record_id)
CREATE INDEX answer_movement_id ON giro.answer USING btree (movement_id) WHERE (movement_id IS NOT NULL)
CREATE INDEX answer_network_id ON giro.answer USING btree (network_id) WHERE (network_id IS NOT NULL)
CREATE UNIQUE INDEX answer_pkey ON giro.answer USING btree (origin_id, number)
CREATE UNIQUE INDEX archive_pkey ON giro.archive USING btree (sha256)
CREATE UNIQUE INDEX audit_pkey ON giro.audit USING btree (record_id)
CREATE INDEX audit_subject ON giro.audit USING btree (subject, record_id)
CREATE UNIQUE INDEX break_change_key_version_key ON giro.break_change USING btree (key, version)
CREATE UNIQUE INDEX break_change_pkey ON giro.break_change USING btree (record_id)
CREATE INDEX break_missing ON giro.break USING btree (origin_id) WHERE ((class = 'MISSING_IN_JOURNAL'::text) AND (state <> 'resolved'::text))
CREATE INDEX break_origin ON giro.break USING btree (origin_id) WHERE (origin_id IS NOT NULL)
CREATE INDEX break_orphan ON giro.break USING btree (key) WHERE ((state <> 'resolved'::text) AND (class = 'ORPHAN_AT_BANK'::text))
CREATE UNIQUE INDEX break_pkey ON giro.break USING btree (key)
CREATE INDEX break_seen_key ON giro.break_seen USING btree (key)
CREATE UNIQUE INDEX break_seen_pkey ON giro.break_seen USING btree (as_of, key, step)
CREATE INDEX break_unresolved ON giro.break USING btree (first_seen, key) WHERE (state <> 'resolved'::text)
CREATE UNIQUE INDEX decision_line_sha256_key ON giro.decision USING btree (line_sha256)
CREATE UNIQUE INDEX decision_origin_id_id_key ON giro.decision USING btree (origin_id, id)
CREATE UNIQUE INDEX decision_pkey ON giro.decision USING btree (origin_id, seq)
CREATE UNIQUE INDEX decision_record_id_key ON giro.decision USING btree (record_id)
CREATE UNIQUE INDEX differing_values_pkey ON giro.differing_values USING btree (origin_id, number)
CREATE INDEX doubt_of ON giro.doubt USING btree (origin_id, record_id)
CREATE UNIQUE INDEX doubt_pkey ON giro.doubt USING btree (record_id)
CREATE INDEX flagged_transfer_newest ON giro.flagged_transfer USING btree (opened_at, origin_id)
CREATE UNIQUE INDEX flagged_transfer_pkey ON giro.flagged_transfer USING btree (origin_id)
CREATE UNIQUE INDEX flags_pkey ON giro.flags USING btree (origin_id, seq)
CREATE UNIQUE INDEX flags_record_id_key ON giro.flags USING btree (record_id)
CREATE INDEX hint_granted ON giro.hint USING btree (granted_at)
CREATE UNIQUE INDEX hint_pkey ON giro.hint USING btree (workflow_id)
CREATE UNIQUE INDEX inbox_cap_pkey ON giro.inbox_cap USING btree (is_only)
CREATE UNIQUE INDEX inbox_size_pkey ON giro.inbox_size USING btree (slot)
CREATE UNIQUE INDEX incident_acknowledgement_pkey ON giro.incident_acknowledgement USING btree (incident_id)
CREATE UNIQUE INDEX incident_acknowledgement_record_id_key ON giro.incident_acknowledgement USING btree (record_id)
CREATE UNIQUE INDEX inquiry_answer_incident_id_origin_id_key ON giro.inquiry_answer USING btree (incident_id, origin_id)
CREATE UNIQUE INDEX inquiry_answer_pkey ON giro.inquiry_answer USING btree (origin_id, number)
CREATE UNIQUE INDEX inquiry_answer_record_id_key ON giro.inquiry_answer USING btree (record_id)
CREATE UNIQUE INDEX inquiry_pkey ON giro.inquiry USING btree (origin_id, number)
CREATE UNIQUE INDEX journal_mark_pkey ON giro.journal_mark USING btree (mark_id)
CREATE UNIQUE INDEX lost_reference_origin_id_key ON giro.lost_reference USING btree (origin_id)
CREATE UNIQUE INDEX lost_reference_pkey ON giro.lost_reference USING btree (reference_sha256)
CREATE UNIQUE INDEX migration_pkey ON giro.migration USING btree (number)
CREATE UNIQUE INDEX not_asked_pkey ON giro.not_asked USING btree (as_of, origin_id, book, step)
CREATE UNIQUE INDEX notification_delivery_key_key ON giro.notification USING btree (delivery_key)
CREATE INDEX notification_done ON giro.notification USING btree (done_at) WHERE (done_at IS NOT NULL)
CREATE INDEX notification_due ON giro.notification USING btree (due_at) WHERE (due_at IS NOT NULL)
CREATE UNIQUE INDEX notification_pkey ON giro.notification USING btree (id)
CREATE INDEX notification_set_aside ON giro.notification USING btree (done_at) WHERE (outcome = 'set-aside'::text)
CREATE INDEX notification_suspect ON giro.notification USING btree (due_at) WHERE ((due_at IS NOT NULL) AND (unfinished > 0))
CREATE INDEX open_transfer_newest ON giro.open_transfer USING btree (opened_at, origin_id)
CREATE UNIQUE INDEX open_transfer_pkey ON giro.open_transfer USING btree (origin_id)
CREATE UNIQUE INDEX open_verification_pkey ON giro.open_verification USING btree (request_id)
CREATE INDEX open_verification_turn ON giro.open_verification USING btree (checked_at, request_id)
CREATE UNIQUE INDEX orphan_debit_delivery_key_key ON giro.orphan_debit USING btree (delivery_key)
CREATE INDEX orphan_debit_movement_ids ON giro.orphan_debit USING gin (movement_ids)
CREATE INDEX orphan_debit_network_ids ON giro.orphan_debit USING gin (network_ids)
CREATE INDEX orphan_debit_origin_ids ON giro.orphan_debit USING gin (origin_ids)
CREATE UNIQUE INDEX orphan_debit_pkey ON giro.orphan_debit USING btree (record_id)
CREATE INDEX reconciled_confirmed ON giro.reconciled USING btree (origin_id, as_of) WHERE confirmed
CREATE UNIQUE INDEX reconciled_pkey ON giro.reconciled USING btree (as_of, origin_id)
CREATE UNIQUE INDEX reconciliation_emptied_pkey ON giro.reconciliation_emptied USING btree (as_of)
CREATE UNIQUE INDEX reconciliation_end_pkey ON giro.reconciliation_end USING btree (as_of)
CREATE UNIQUE INDEX reconciliation_forgotten_pkey ON giro.reconciliation_forgotten USING btree (as_of)
CREATE UNIQUE INDEX reconciliation_item_pkey ON giro.reconciliation_item USING btree (as_of, origin_id)
CREATE UNIQUE INDEX reconciliation_listed_pkey ON giro.reconciliation_listed USING btree (as_of)
CREATE UNIQUE INDEX reconciliation_pkey ON giro.reconciliation USING btree (as_of)
CREATE INDEX reconciliation_started ON giro.reconciliation USING btree (started_at)
CREATE INDEX reconciliation_statement ON giro.reconciliation USING btree (statement_id) WHERE (statement_id IS NOT NULL)
CREATE UNIQUE INDEX reconciliation_step_pkey ON giro.reconciliation_step USING btree (as_of, step)
CREATE UNIQUE INDEX recovery_place_pkey ON giro.recovery_place USING btree (only_row)
CREATE INDEX reference_bound ON giro.reference USING btree (bound_at, origin_id)
CREATE UNIQUE INDEX reference_origin_id_key ON giro.reference USING btree (origin_id)
CREATE UNIQUE INDEX reference_pkey ON giro.reference USING btree (reference)
CREATE UNIQUE INDEX report_link_as_of_key ON giro.report_link USING btree (as_of)
CREATE UNIQUE INDEX report_link_pkey ON giro.report_link USING btree (sequence)
CREATE INDEX request_creates ON giro.request USING btree (origin_id, number) WHERE (kind = 'create'::text)
CREATE UNIQUE INDEX request_pkey ON giro.request USING btree (origin_id, number)
CREATE INDEX result_amount ON giro.result USING btree (((result #>> '{amount,value}'::text[])), recorded_at)
CREATE UNIQUE INDEX result_origin_id_status_key ON giro.result USING btree (origin_id, status)
CREATE UNIQUE INDEX result_pkey ON giro.result USING btree (origin_id)
CREATE UNIQUE INDEX result_record_id_key ON giro.result USING btree (record_id)
CREATE INDEX result_recorded ON giro.result USING btree (recorded_at, origin_id)
CREATE INDEX result_status ON giro.result USING btree (status, opened_at, origin_id)
CREATE UNIQUE INDEX sending_pkey ON giro.sending USING btree (record_id)
CREATE UNIQUE INDEX statement_end_pkey ON giro.statement_end USING btree (statement_id)
CREATE UNIQUE INDEX statement_line_pkey ON giro.statement_line USING btree (statement_id, line)
CREATE INDEX statement_match_origin ON giro.statement_match USING btree (as_of, origin_id)
CREATE UNIQUE INDEX statement_match_pkey ON giro.statement_match USING btree (as_of, line)
CREATE UNIQUE INDEX statement_pkey ON giro.statement USING btree (id)
CREATE UNIQUE INDEX statistics_pkey ON giro.statistics USING btree (only_row)
CREATE INDEX suspected_debit_ask_at ON giro.suspected_debit USING btree (asked, ask_at) WHERE (ask_at IS NOT NULL)
CREATE INDEX suspected_debit_bare ON giro.suspected_debit USING btree (id) WHERE (ask_at IS NULL)
CREATE UNIQUE INDEX suspected_debit_delivery_key_key ON giro.suspected_debit USING btree (delivery_key)
CREATE INDEX suspected_debit_network_ids ON giro.suspected_debit USING gin (network_ids) WHERE (ask_at IS NOT NULL)
CREATE INDEX suspected_debit_origin_ids ON giro.suspected_debit USING gin (origin_ids) WHERE (ask_at IS NOT NULL)
CREATE UNIQUE INDEX suspected_debit_pkey ON giro.suspected_debit USING btree (id)
CREATE INDEX transfer_newest ON giro.transfer USING btree (opened_at, origin_id)
CREATE UNIQUE INDEX transfer_pkey ON giro.transfer USING btree (origin_id)
CREATE UNIQUE INDEX verification_answer_pkey ON giro.verification_answer USING btree (request_id, seq)
CREATE UNIQUE INDEX verification_flags_pkey ON giro.verification_flags USING btree (request_id, seq)
CREATE INDEX verification_newest ON giro.verification USING btree (opened_at, request_id DESC)
CREATE UNIQUE INDEX verification_outcome_pkey ON giro.verification_outcome USING btree (request_id)
CREATE UNIQUE INDEX verification_pkey ON giro.verification USING btree (request_id)
CREATE UNIQUE INDEX verification_status_pkey ON giro.verification_status USING btree (request_id, seq)
CREATE UNIQUE INDEX verification_status_request_id_seq_meaning_key ON giro.verification_status USING btree (request_id, seq, meaning)
CREATE UNIQUE INDEX verification_tracking_pkey ON giro.verification_tracking USING btree (request_id, seq)
CREATE UNIQUE INDEX webhook_check_pkey ON giro.webhook_check USING btree (record_id)
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.annulment FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER enter_feed BEFORE INSERT ON giro.annulment FOR EACH STATEMENT EXECUTE FUNCTION giro.enter_feed()
CREATE TRIGGER guard BEFORE INSERT ON giro.annulment FOR EACH ROW EXECUTE FUNCTION giro.guard_annulment()
CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON giro.answer FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER guard BEFORE INSERT ON giro.answer FOR EACH ROW EXECUTE FUNCTION giro.guard_answer()
CREATE TRIGGER kept AFTER DELETE ON giro.answer REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION giro.guard_archived_answers() -- always
CREATE TRIGGER note_status AFTER INSERT ON giro.answer FOR EACH ROW EXECUTE FUNCTION giro.note_status()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.archive FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.audit FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.break_change FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE CONSTRAINT TRIGGER is_change AFTER INSERT ON giro.break_change DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION giro.guard_break_change()
CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON giro.break_seen FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER is_open AFTER INSERT ON giro.break_seen REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION giro.guard_run_is_open()
CREATE TRIGGER kept AFTER DELETE ON giro.break_seen REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION giro.guard_forgotten_run() -- always
CREATE TRIGGER guard BEFORE DELETE OR UPDATE ON giro.break FOR EACH ROW EXECUTE FUNCTION giro.guard_break()
CREATE CONSTRAINT TRIGGER is_recorded AFTER INSERT OR UPDATE ON giro.break DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION giro.guard_break_is_recorded()
CREATE TRIGGER no_truncate BEFORE TRUNCATE ON giro.break FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.decision FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER enter_feed BEFORE INSERT ON giro.decision FOR EACH STATEMENT EXECUTE FUNCTION giro.enter_feed()
CREATE TRIGGER guard BEFORE INSERT ON giro.decision FOR EACH ROW EXECUTE FUNCTION giro.guard_decision()
CREATE TRIGGER guard_signed BEFORE INSERT ON giro.decision FOR EACH ROW EXECUTE FUNCTION giro.guard_signed_decision()
CREATE TRIGGER note_status AFTER INSERT ON giro.decision FOR EACH ROW EXECUTE FUNCTION giro.note_status()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.differing_values FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER guard BEFORE INSERT ON giro.differing_values FOR EACH ROW EXECUTE FUNCTION giro.guard_differing_values()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.doubt FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER guard BEFORE INSERT ON giro.doubt FOR EACH ROW EXECUTE FUNCTION giro.guard_doubt()
CREATE TRIGGER note_status AFTER INSERT ON giro.doubt FOR EACH ROW EXECUTE FUNCTION giro.note_status()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.flags FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER enter_feed BEFORE INSERT ON giro.flags FOR EACH STATEMENT EXECUTE FUNCTION giro.enter_feed()
CREATE TRIGGER list_flagged AFTER INSERT ON giro.flags FOR EACH ROW EXECUTE FUNCTION giro.list_flagged()
CREATE TRIGGER note_status AFTER INSERT ON giro.flags FOR EACH ROW EXECUTE FUNCTION giro.note_status()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.incident_acknowledgement FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER enter_feed BEFORE INSERT ON giro.incident_acknowledgement FOR EACH STATEMENT EXECUTE FUNCTION giro.enter_feed()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.inquiry_answer FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER enter_feed BEFORE INSERT ON giro.inquiry_answer FOR EACH STATEMENT EXECUTE FUNCTION giro.enter_feed()
CREATE TRIGGER guard BEFORE INSERT ON giro.inquiry_answer FOR EACH ROW EXECUTE FUNCTION giro.guard_inquiry_answer()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.inquiry FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER guard BEFORE INSERT ON giro.inquiry FOR EACH ROW EXECUTE FUNCTION giro.guard_inquiry()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.journal_mark FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.lost_reference FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.migration FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON giro.not_asked FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER is_open AFTER INSERT ON giro.not_asked REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION giro.guard_run_is_open()
CREATE TRIGGER kept AFTER DELETE ON giro.not_asked REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION giro.guard_forgotten_run() -- always
CREATE TRIGGER count_added AFTER INSERT ON giro.notification REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION giro.count_inbox()
CREATE TRIGGER count_removed AFTER DELETE ON giro.notification REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION giro.count_inbox()
CREATE TRIGGER count_truncated AFTER TRUNCATE ON giro.notification FOR EACH STATEMENT EXECUTE FUNCTION giro.count_inbox()
CREATE TRIGGER note_check BEFORE UPDATE ON giro.open_verification FOR EACH ROW EXECUTE FUNCTION giro.note_check()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.orphan_debit FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON giro.reconciled FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER is_open AFTER INSERT ON giro.reconciled REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION giro.guard_run_is_open()
CREATE TRIGGER kept AFTER DELETE ON giro.reconciled REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION giro.guard_forgotten_run() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.reconciliation_emptied FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.reconciliation_end FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER guard BEFORE INSERT ON giro.reconciliation_end FOR EACH ROW EXECUTE FUNCTION giro.guard_run_end()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.reconciliation_forgotten FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.reconciliation_listed FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.reconciliation_step FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER is_open AFTER INSERT ON giro.reconciliation_step REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION giro.guard_run_is_open()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.reconciliation FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.reference FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.report_link FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER guard BEFORE INSERT ON giro.report_link FOR EACH ROW EXECUTE FUNCTION giro.guard_report_link()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.request FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER guard BEFORE INSERT ON giro.request FOR EACH ROW EXECUTE FUNCTION giro.guard_request()
CREATE TRIGGER note_status AFTER INSERT ON giro.request FOR EACH ROW WHEN ((new.kind <> 'lookup'::text)) EXECUTE FUNCTION giro.note_status()
CREATE TRIGGER sending BEFORE INSERT ON giro.request FOR EACH ROW WHEN ((new.kind = 'create'::text)) EXECUTE FUNCTION giro.guard_sending_of_create()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.result FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER enter_feed BEFORE INSERT ON giro.result FOR EACH STATEMENT EXECUTE FUNCTION giro.enter_feed()
CREATE TRIGGER guard BEFORE INSERT ON giro.result FOR EACH ROW EXECUTE FUNCTION giro.guard_result()
CREATE TRIGGER unlist_open AFTER INSERT ON giro.result FOR EACH ROW EXECUTE FUNCTION giro.unlist_open_transfer()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.sending FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER guard BEFORE INSERT ON giro.sending FOR EACH ROW EXECUTE FUNCTION giro.guard_sending()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.statement_end FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER guard BEFORE INSERT ON giro.statement_end FOR EACH ROW EXECUTE FUNCTION giro.guard_statement_end()
CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON giro.statement_line FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER is_open AFTER INSERT ON giro.statement_line REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION giro.guard_statement_is_open()
CREATE TRIGGER kept AFTER DELETE ON giro.statement_line REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION giro.guard_forgotten_lines() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.statement FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER date_statistics BEFORE UPDATE OF counts ON giro.statistics FOR EACH ROW EXECUTE FUNCTION giro.date_statistics()
CREATE TRIGGER date_debit BEFORE INSERT ON giro.suspected_debit FOR EACH ROW EXECUTE FUNCTION giro.date_suspected_debit()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.transfer FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER list_open AFTER INSERT ON giro.transfer FOR EACH ROW EXECUTE FUNCTION giro.list_open_transfer()
CREATE TRIGGER append_only BEFORE UPDATE OR TRUNCATE ON giro.verification_answer FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.verification_flags FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.verification_outcome FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER unlist_open AFTER INSERT ON giro.verification_outcome FOR EACH ROW EXECUTE FUNCTION giro.unlist_open_verification()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.verification_status FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.verification_tracking FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER list_open AFTER INSERT ON giro.verification_tracking FOR EACH ROW EXECUTE FUNCTION giro.list_open_verification()
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.verification FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON giro.webhook_check FOR EACH STATEMENT EXECUTE FUNCTION giro.refuse_change() -- always
sequence mark_id bigint start 1 min 1 max 9223372036854775807 cycle f
sequence notification_id_seq bigint start 1 min 1 max 9223372036854775807 cycle f
sequence origin_id bigint start 1 min 1 max 9007199254740991 cycle f
sequence record_id bigint start 1 min 1 max 9223372036854775807 cycle f
sequence suspected_debit_id_seq bigint start 1 min 1 max 9223372036854775807 cycle f
CREATE OR REPLACE FUNCTION giro.accepted_by(origin_id bigint, action text)
 RETURNS text[]
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select case when d.outcome = 'accepted' and d.action = accepted_by.action then d.operators end
  from giro.decision d where d.origin_id = accepted_by.origin_id
  order by d.seq desc limit 1
$function$
CREATE OR REPLACE FUNCTION giro.advance_origin_id(next bigint)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  upcoming bigint;
begin
  alter sequence giro.origin_id no cycle;
  select last_value + is_called::integer into upcoming from giro.origin_id;
  if next > upcoming then
    execute format('alter sequence giro.origin_id restart with %s', next);
  end if;
end
$function$
CREATE OR REPLACE FUNCTION giro.annulment_agrees(transfer_id bigint, result jsonb)
 RETURNS boolean
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select exists (
    select from giro.annulment n join giro.transfer t using (origin_id)
    where n.origin_id = transfer_id
      and (n.id::text, n.amount, n.currency) = (
        result ->> 'annulmentId', (result #>> '{amount,value}')::numeric, result #>> '{amount,currency}'
      )
      and (n.movement_id, n.network, n.network_id, n.decided_by, n.reason) is not distinct from (
        result ->> 'movementId', result ->> 'network', result ->> 'networkId', result ->> 'decidedBy',
        result ->> 'reason'
      )
      and t.order_sha256 = result ->> 'orderSha256'
      and (jsonb_typeof(t.order_json) <> 'object' or (n.amount, n.currency) = (
        (t.order_json #>> '{body,amount}')::numeric, t.order_json #>> '{body,currencyId}'
      ))
  )
$function$
CREATE OR REPLACE FUNCTION giro.answer_json(answer giro.answer)
 RETURNS jsonb
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select coalesce(answer.details, '{}') || case
    when answer.bank_status is null then jsonb_build_object('kind', answer.kind)
    else jsonb_build_object('kind', answer.kind, 'movement',
      coalesce(answer.details -> 'movement', '{"echoFields": []}') || jsonb_build_object(
        'status', answer.bank_status, 'movementId', answer.movement_id, 'network', answer.network,
        'networkId', answer.network_id, 'postingAt', answer.posting_at, 'completedAt', answer.completed_at,
        'echo', answer.echo, 'evidenceSha256', encode(answer.evidence_sha256, 'hex')
      ))
  end
$function$
CREATE OR REPLACE FUNCTION giro.begin_statement()
 RETURNS bigint
 LANGUAGE sql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$ insert into giro.statement default values returning id $function$
CREATE OR REPLACE FUNCTION giro.confirm_debit(delivery_key text, origin_ids bigint[], movement_ids text[], network_ids text[])
 RETURNS TABLE(held giro.suspected_debit, is_new boolean)
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  delete from giro.suspected_debit s where s.delivery_key = confirm_debit.delivery_key returning s.* into held;
  if not found then
    return;
  end if;
  insert into giro.orphan_debit (delivery_key, movement_type, origin_ids, movement_ids, network_ids, received_at)
  values (held.delivery_key, held.movement_type, confirm_debit.origin_ids, confirm_debit.movement_ids,
    confirm_debit.network_ids, held.received_at)
  on conflict on constraint orphan_debit_delivery_key_key do nothing;
  is_new := found;
  return next;
end
$function$
CREATE OR REPLACE FUNCTION giro.count_inbox()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  is_over boolean;
begin
  if tg_op = 'INSERT' then
    with n as (
      select count(*) as row_count, coalesce(sum(octet_length(body)), 0) as byte_count from added
    ), counted as (
      update giro.inbox_size s
      set row_count = s.row_count + n.row_count, byte_count = s.byte_count + n.byte_count
      from n where s.slot = pg_backend_pid() % 32 and n.row_count > 0
    )
    select n.row_count > 0 and (sum(s.row_count) + n.row_count > c.max_rows
        or sum(s.byte_count) + n.byte_count > c.max_bytes)
    into is_over
    from n, giro.inbox_cap c, giro.inbox_size s
    group by n.row_count, n.byte_count, c.max_rows, c.max_bytes;
    if is_over then
      raise exception 'the inbox is full: giro.inbox_cap' using errcode = 'GR002';
    end if;
  elsif tg_op = 'DELETE' then
    update giro.inbox_size s
    set row_count = s.row_count - n.row_count, byte_count = s.byte_count - n.byte_count
    from (select count(*) as row_count, sum(octet_length(body)) as byte_count from removed) n
    where s.slot = pg_backend_pid() % 32 and n.row_count > 0;
  else
    update giro.inbox_size set row_count = 0, byte_count = 0;
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION giro.create_refusal(origin_id bigint)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select coalesce(giro.sending_over(create_refusal.origin_id), case
    when giro.is_end_accepted(create_refusal.origin_id) then 'operators have accepted an end'
    when cardinality(giro.standing_holds(create_refusal.origin_id)) > 0 then 'it is held until operators resume it'
    when sent.creates = 0 or giro.resend_after(create_refusal.origin_id) >= sent.last then null
    when exists (
      select from giro.answer a
      where a.origin_id = create_refusal.origin_id and a.kind = 'answered' and a.echo <> 'mismatch'
    ) or exists (
      select from giro.decision d
      where d.origin_id = create_refusal.origin_id and giro.takes_repeat_away(d, sent.first_at <= d.recorded_at)
    ) then 'only operators have it sent again'
    when sent.creates = 1 and exists (
      select from giro.answer a
      where a.origin_id = create_refusal.origin_id and a.number = sent.last and a.kind = 'refused'
    ) then 'the bank refused the only one'
    when giro.has_two_movements(create_refusal.origin_id) then 'answers name two movements'
    when giro.not_found_after(create_refusal.origin_id, sent.last) < 12
    then 'fewer than 12 look-ups have found nothing since the last create'
  end)
  from (
    select count(p.number) as creates, min(p.claimed_at) as first_at, max(p.number) as last
    from giro.perhaps_sent p where p.origin_id = create_refusal.origin_id
  ) sent
$function$
CREATE OR REPLACE FUNCTION giro.date_statistics()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  new.taken_at := clock_timestamp();
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.date_suspected_debit()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  select n.received_at into new.received_at
  from giro.notification n where n.delivery_key = split_part(new.delivery_key, ' ', 1);
  new.received_at := coalesce(new.received_at, clock_timestamp());
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.enter_feed()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  last bigint;
begin
  select last_value - (not is_called)::integer into last from giro.record_id;
  perform pg_advisory_xact_lock_shared(giro.feed_lock_class(), (last & 2147483647)::integer);
  return null;
end
$function$
CREATE OR REPLACE FUNCTION giro.feed_horizon()
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  last bigint;
  behind bigint;
begin
  if pg_is_in_recovery() then
    raise exception 'giro: locks are not seen on a standby' using errcode = 'read_only_sql_transaction';
  end if;
  select last_value - (not is_called)::integer into last from giro.record_id;
  select max(away) into behind
  from (
    select mod((last & 2147483647) - l.objid::bigint + 2147483648, 2147483648) as away
    from pg_locks l
    where l.locktype = 'advisory' and l.classid::bigint = giro.feed_lock_class() and l.objsubid = 2
      and l.database = (select oid from pg_database where datname = current_database())
  ) held
  where away < 1073741824; -- more: the lock was taken after `last` was read, for numbers above `last`
  return last - coalesce(behind, 0);
end
$function$
CREATE OR REPLACE FUNCTION giro.feed_lock_class()
 RETURNS integer
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$ select 1735812453 $function$
CREATE OR REPLACE FUNCTION giro.forgets_ids(decision giro.decision)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select decision.outcome = 'resumed' and 'ECHO_MISMATCH' = any(decision.flags)
    or decision.outcome = 'accepted' and decision.action = 'resend'
$function$
CREATE OR REPLACE FUNCTION giro.forgotten_before(answer giro.answer)
 RETURNS integer
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select coalesce(max(d.seq), 0) from giro.decision d
  where d.origin_id = answer.origin_id and giro.forgets_ids(d) and giro.is_after(answer, d)
$function$
CREATE OR REPLACE FUNCTION giro.guard_annulment()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  evidence giro.answer;
begin
  perform giro.lock_transfer(new.origin_id);
  select * into evidence from giro.answer a where a.origin_id = new.origin_id and a.number = new.evidence_number;
  if (new.bank_status, new.evidence_sha256, new.bank_posting_at, new.bank_completed_at) is distinct from (
    evidence.bank_status, encode(evidence.evidence_sha256, 'hex'), evidence.posting_at, evidence.completed_at
  ) then
    raise exception 'giro: annulment of transfer % refused: request % was answered otherwise',
      new.origin_id, coalesce(new.evidence_number::text, 'none') using errcode = 'GR002';
  end if;
  if new.decided_by = 'bank' then
    if evidence.bank_status is distinct from 'FAILED' or evidence.echo is distinct from 'match' then
      raise exception 'giro: annulment of transfer % refused: no matching answer FAILED under request %',
        new.origin_id, coalesce(new.evidence_number::text, 'none') using errcode = 'GR002';
    end if;
    if giro.has_two_movements(new.origin_id) then
      raise exception 'giro: annulment of transfer % refused: answers name two movement ids', new.origin_id
        using errcode = 'GR002';
    end if;
    if cardinality(new.operators) > 0 then
      raise exception 'giro: annulment of transfer % refused: the bank decided it, not operators', new.origin_id
        using errcode = 'GR002';
    end if;
  elsif giro.accepted_by(new.origin_id, 'accept-failed') is distinct from new.operators then
    raise exception 'giro: annulment of transfer % refused: no recorded decision of two operators', new.origin_id
      using errcode = 'GR002';
  end if;
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_answer()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  request_kind text;
begin
  select r.kind into request_kind
  from giro.request r where r.origin_id = new.origin_id and r.number = new.number;
  if request_kind = 'create' and new.kind in ('answered', 'not-sent', 'refused', 'unknown')
    or request_kind = 'lookup' and new.kind in ('movement', 'not-found', 'no-answer')
  then
    if not exists (
      select from giro.result e
      where e.origin_id = new.origin_id and e.recorded_at <= clock_timestamp() - interval '8760 hours'
    ) then
      return new;
    end if;
    if exists (select from giro.answer a where a.origin_id = new.origin_id and a.number = new.number) then
      return null;
    end if;
    raise exception 'giro: answer % of transfer % refused: the transfer ended more than a year ago', new.number,
      new.origin_id using errcode = 'GR002';
  end if;
  raise exception 'giro: request % of transfer % (%) has no answer of this kind', new.number, new.origin_id,
    coalesce(request_kind, 'not claimed') using errcode = 'GR002';
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_archived_answers()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  needed giro.answer;
begin
  perform giro.lock_transfer(d.origin_id) from (select distinct g.origin_id from gone g order by g.origin_id) d;
  select g.* into needed
  from gone g left join giro.result e using (origin_id)
  where not giro.is_superseded(g) or not exists (
    select from giro.archive r where r.ended_from <= e.recorded_at and e.recorded_at < r.ended_before
  )
  limit 1;
  if found then
    raise exception 'giro.answer is append-only: DELETE refused: answer % of transfer % is needed, or in no archive',
      needed.number, needed.origin_id using errcode = 'GR003';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_break()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if tg_op = 'DELETE' then
    raise exception 'giro.break: DELETE refused' using errcode = 'GR003';
  end if;
  if new.version <> old.version + 1 then
    raise exception 'giro: break % has been changed meanwhile', new.key using errcode = 'GR001';
  end if;
  if tg_op = 'UPDATE' and new.key <> old.key then
    raise exception 'giro.break: another key refused' using errcode = 'GR003';
  end if;
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_break_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if not exists (
    select from giro.break b where b.key = new.key and b.version = new.version and b.state = new.state
  ) then
    raise exception 'giro: change of break % refused: the break does not have this version and state', new.key
      using errcode = 'GR002';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_break_is_recorded()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  -- The members that `break_change` records, or that follow from its kind.
  of_change text[] := array['state', 'operator', 'note', 'resolvedBy', 'resolvedFact'];
  same_operator boolean := false;
begin
  if tg_op = 'UPDATE' then
    if new.break - of_change <> old.break - of_change and (
      coalesce(new.break ->> 'lastSeen', '') < coalesce(old.break ->> 'lastSeen', '')
      or not exists (select from giro.break_seen s where s.key = new.key and s.break = new.break)
    ) then
      raise exception 'giro: break % refused: no run saw it so', new.key using errcode = 'GR002';
    end if;
    same_operator := (new.break -> 'operator', new.break -> 'note')
      is not distinct from (old.break -> 'operator', old.break -> 'note');
    if (new.state, new.class) = (old.state, old.class) and same_operator
      and new.break -> 'resolvedBy' is not distinct from old.break -> 'resolvedBy'
      and coalesce(new.break ->> 'resolvedFact' = old.break ->> 'resolvedFact', new.break ->> 'resolvedFact' is null)
      and (new.class = 'ORPHAN_AT_BANK' or (new.break -> 'fact', new.break -> 'originId')
        is not distinct from (old.break -> 'fact', old.break -> 'originId'))
    then
      return null;
    end if;
  end if;
  if not exists (
    select from giro.break_change c
    where c.key = new.key and c.version = new.version and c.state = new.state
      and c.severity = new.break ->> 'severity'
      and (same_operator
        or (c.operator, c.note) is not distinct from (new.break ->> 'operator', new.break ->> 'note'))
  ) then
    raise exception 'giro: break % refused: its change has no record', new.key using errcode = 'GR002';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_decision()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform giro.lock_transfer(new.origin_id);
  if new.seq <> coalesce((select max(d.seq) from giro.decision d where d.origin_id = new.origin_id), 0) + 1 then
    raise exception 'giro: decision % of transfer % is out of order', new.seq, new.origin_id
      using errcode = 'GR001';
  end if;
  if new.outcome in ('proposed', 'accepted', 'withdrawn')
    and exists (select from giro.result e where e.origin_id = new.origin_id)
  then
    raise exception 'giro: decision of transfer % refused: it has ended', new.origin_id using errcode = 'GR002';
  end if;
  if new.outcome = 'accepted' and not exists (
    select from giro.live_proposals(new.origin_id) p
    where p.action = new.action and giro.operator_key(p.operator) <> giro.operator_key(new.operator)
      and new.operators = array[p.operator, new.operator]
  ) then
    raise exception 'giro: decision of transfer % refused: no other operator has proposed %', new.origin_id,
      new.action using errcode = 'GR002';
  end if;
  -- A `resend` permits creates until one with a number above `after_number` may have reached the bank. With a number
  -- above the journal's last request, it could permit more than one create.
  if new.outcome = 'accepted' and new.action = 'resend' and new.after_number > coalesce((
    select max(r.number) from giro.request r where r.origin_id = new.origin_id
  ), 0) then
    raise exception 'giro: decision of transfer % refused: it names a request that the journal does not have',
      new.origin_id using errcode = 'GR002';
  end if;
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_differing_values()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if not exists (
    select from giro.answer a
    where a.origin_id = new.origin_id and a.number = new.number and a.echo = 'mismatch'
  ) then
    raise exception 'giro: differing values of transfer % refused: the answer of request % is no mismatch',
      new.origin_id, new.number using errcode = 'GR002';
  end if;
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_doubt()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform giro.lock_transfer(new.origin_id);
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_forgotten_lines()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if exists (
    select from (select distinct g.statement_id from gone g) d
    left join giro.statement s on s.id = d.statement_id
    left join giro.reconciliation r using (statement_id)
    where greatest(coalesce(s.recorded_at, 'infinity'), r.started_at) >= now() - interval '744 hours'
  ) then
    raise exception 'giro.%: DELETE refused: of a statement used in the last 31 days', tg_table_name
      using errcode = 'GR003';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_forgotten_run()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if exists (
    select from (select distinct g.as_of from gone g) d left join giro.reconciliation r using (as_of)
    where coalesce(r.started_at, 'infinity') >= now() - interval '744 hours'
  ) then
    raise exception 'giro.%: DELETE refused: of a run younger than 31 days', tg_table_name using errcode = 'GR003';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_inquiry()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  last_number integer;
begin
  perform giro.lock_transfer(new.origin_id);
  if exists (select from giro.transfer t where t.origin_id = new.origin_id)
    and not exists (select from giro.result e where e.origin_id = new.origin_id)
  then
    raise exception 'giro: inquiry about transfer % is not claimable: it is open', new.origin_id
      using errcode = 'GR001';
  end if;
  select max(i.number) into last_number from giro.inquiry i where i.origin_id = new.origin_id;
  -- A number that is taken is refused by the primary key.
  if new.number > coalesce(last_number, 0) + 1 then
    raise exception 'giro: inquiry % about transfer % is out of order', new.number, new.origin_id
      using errcode = 'GR001';
  end if;
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_inquiry_answer()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform giro.lock_transfer(new.origin_id);
  if new.agrees is not null and not exists (select from giro.result e where e.origin_id = new.origin_id) then
    raise exception 'giro: judgement of transfer % refused: it has not ended', new.origin_id using errcode = 'GR002';
  end if;
  new.incident_id := null;
  new.record_id := null;
  if new.fact is not null and not exists (
    select from giro.inquiry_answer a
    where a.origin_id = new.origin_id and a.incident_id is not null and a.fact = new.fact and not exists (
      select from giro.inquiry_answer b where b.origin_id = a.origin_id and b.number > a.number and b.agrees
    )
  ) then
    new.incident_id := gen_random_uuid();
    new.record_id := nextval('giro.record_id');
  end if;
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_report_link()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  head giro.report_link;
begin
  perform pg_advisory_xact_lock(hashtextextended('giro.report_link', 0));
  select * into head from giro.report_link l order by l.sequence desc limit 1;
  if new.sequence <> coalesce(head.sequence, 0) + 1
    or new.previous_sha256 <> coalesce(head.sha256, repeat('0', 64))
    or coalesce(split_part(new.cursor, '-', 2)::bigint, 0) not between coalesce(head.up_to, 0) and giro.feed_horizon()
  then
    raise exception 'giro: link % does not follow the head of the chain', new.sequence using errcode = 'GR001';
  end if;
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_request()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  last_number integer;
  last_kind text;
begin
  perform giro.lock_transfer(new.origin_id);
  select r.number, r.kind into last_number, last_kind
  from giro.request r where r.origin_id = new.origin_id order by r.number desc limit 1;

  if new.number <= last_number then
    return new; -- the primary key refuses the row
  end if;
  if new.number <> coalesce(last_number, 0) + 1
    or last_kind = 'withdrawal'
    or exists (select from giro.result e where e.origin_id = new.origin_id)
    or (new.kind = 'withdrawal' and exists (
      select from giro.perhaps_sent p where p.origin_id = new.origin_id
    ))
    or (new.kind = 'create' and giro.create_refusal(new.origin_id) is not null)
  then
    raise exception 'giro: request % (%) of transfer % is not claimable', new.number, new.kind, new.origin_id
      using errcode = 'GR001';
  end if;
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_result()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  status text := new.result ->> 'status';
  decided_by text := coalesce(new.result ->> 'decidedBy', '');
  withdrawn boolean;
begin
  perform giro.lock_transfer(new.origin_id);
  select t.opened_at into new.opened_at from giro.transfer t where t.origin_id = new.origin_id;
  if exists (select from giro.result e where e.origin_id = new.origin_id) then
    return new; -- the primary key refuses the row
  end if;
  select r.kind = 'withdrawal' into withdrawn
  from giro.request r where r.origin_id = new.origin_id order by r.number desc limit 1;

  if (status = 'WITHDRAWN') <> coalesce(withdrawn, false) then
    raise exception 'giro: result % of transfer % refused: its withdrawal is %', status, new.origin_id,
      case when withdrawn then 'claimed' else 'not claimed' end using errcode = 'GR002';
  end if;
  if status = 'FAILED' and not giro.annulment_agrees(new.origin_id, new.result) then
    raise exception 'giro: result FAILED of transfer % refused: its annulment does not agree', new.origin_id
      using errcode = 'GR002';
  end if;
  if decided_by = 'operators' then
    if giro.accepted_by(new.origin_id, case status
      when 'COMPLETED' then 'accept-completed' when 'FAILED' then 'accept-failed' when 'REFUSED' then 'accept-not-taken'
    end) is null then
      raise exception 'giro: result % of transfer % refused: no recorded decision of two operators', status,
        new.origin_id using errcode = 'GR002';
    end if;
    if status = 'REFUSED' and (
      select a.echo from giro.answer a
      where a.origin_id = new.origin_id and (a.kind = 'not-found' or a.echo is not null)
      order by a.number desc limit 1
    ) = 'match' then
      raise exception 'giro: result REFUSED of transfer % refused: the last answer is a movement that matches the order',
        new.origin_id using errcode = 'GR002';
    end if;
    return new;
  end if;
  if status = 'COMPLETED' and not exists (
    select from giro.answer a
    where a.origin_id = new.origin_id and a.bank_status = 'COMPLETED' and a.echo = 'match'
  ) then
    raise exception 'giro: result COMPLETED of transfer % refused: no matching answer COMPLETED', new.origin_id
      using errcode = 'GR002';
  end if;
  if status = 'COMPLETED' and giro.has_two_movements(new.origin_id) then
    raise exception 'giro: result COMPLETED of transfer % refused: answers name two movement ids', new.origin_id
      using errcode = 'GR002';
  end if;
  if status = 'REFUSED' and (
    not exists (select from giro.answer a where a.origin_id = new.origin_id and a.kind = 'refused')
    or (select count(*) from giro.perhaps_sent p where p.origin_id = new.origin_id) > 1
    or exists (
      select from giro.answer a
      where a.origin_id = new.origin_id and (a.kind = 'movement' or a.echo in ('match', 'incomplete'))
    )
  ) then
    raise exception 'giro: result REFUSED of transfer % refused: the bank did not refuse its only create, or knows it',
      new.origin_id using errcode = 'GR002';
  end if;
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_run_end()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform pg_advisory_xact_lock(giro.run_lock(new.as_of));
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_run_is_open()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform pg_advisory_xact_lock_shared(giro.run_lock(d.as_of)) from (select distinct a.as_of from added a) d;
  if exists (
    select from (select distinct a.as_of from added a) d join giro.reconciliation_end e using (as_of)
  ) then
    raise exception 'giro.%: INSERT refused: the run has ended', tg_table_name using errcode = 'GR001';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_sending()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended('giro.sending', 0));
  new.record_id := nextval('giro.record_id');
  -- Later changes have later times, even if the clock was set back (`recover_stop` compares them, to the millisecond).
  new.recorded_at := greatest(clock_timestamp(), new.recorded_at, (
    select s.recorded_at + interval '1 millisecond' from giro.sending s order by s.record_id desc limit 1
  ));
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_sending_of_create()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('giro.sending', 0));
  if (select s.stopped from giro.sending s order by s.record_id desc limit 1) then
    raise exception 'giro: request % of transfer % is not claimable: sending is stopped', new.number, new.origin_id
      using errcode = 'GR001';
  end if;
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_signed_decision()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  said jsonb;
begin
  if new.outcome = 'accepted' and not exists (
    select from giro.live_proposals(new.origin_id) p
      join giro.decision d on d.origin_id = new.origin_id and d.seq = p.seq
    where p.action = new.action and new.operators = array[p.operator, new.operator]
      and (d.key_fingerprint is null) = (new.key_fingerprint is null)
      and coalesce(d.key_fingerprint <> new.key_fingerprint, true)
  ) then
    raise exception 'giro: decision of transfer % refused: two decisions take two keys, or none is signed',
      new.origin_id using errcode = 'GR002';
  end if;
  if new.line is null then
    return new;
  end if;
  said := new.line::jsonb;
  if new.line_sha256 <> encode(sha256(convert_to(new.line, 'UTF8')), 'hex')
    or (said ->> 'originId', said ->> 'action', said ->> 'operator', said ->> 'reason') is distinct from
      (new.origin_id::text, new.action, new.operator, new.reason)
    or said ->> 'orderSha256' is distinct from (
      select t.order_sha256 from giro.transfer t where t.origin_id = new.origin_id
    )
  then
    raise exception 'giro: decision of transfer % refused: what was signed is another decision', new.origin_id
      using errcode = 'GR002';
  end if;
  if not coalesce(
    (said ->> 'expiresAt')::timestamptz > new.recorded_at
      and (said ->> 'expiresAt')::timestamptz <= new.recorded_at + interval '1 hour', false)
  then
    raise exception 'giro: decision of transfer % refused: the signature has expired, or expires too late',
      new.origin_id using errcode = 'GR002';
  end if;
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_statement_end()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform pg_advisory_xact_lock(giro.statement_lock(new.statement_id));
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.guard_statement_is_open()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform pg_advisory_xact_lock_shared(giro.statement_lock(d.statement_id))
  from (select distinct a.statement_id from added a) d;
  if exists (select from (select distinct a.statement_id from added a) d join giro.statement_end e using (statement_id)) then
    raise exception 'giro.statement_line: INSERT refused: the import is complete' using errcode = 'GR002';
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION giro.has_two_movements(origin_id bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select count(distinct a.movement_id) > 1
  from giro.answer a left join lateral (
    select d from giro.decision d
    where d.origin_id = has_two_movements.origin_id and giro.forgets_ids(d)
    order by d.seq desc limit 1
  ) looked on true
  where a.origin_id = has_two_movements.origin_id
    and (looked.d is null or giro.is_after(a, looked.d))
$function$
CREATE OR REPLACE FUNCTION giro.is_after(answer giro.answer, decision giro.decision)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select answer.record_id > decision.record_id or answer.number > decision.after_number
$function$
CREATE OR REPLACE FUNCTION giro.is_end_accepted(origin_id bigint)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select coalesce((
    select d.outcome = 'accepted' and d.action <> 'resend'
    from giro.decision d
    where d.origin_id = is_end_accepted.origin_id and d.outcome in ('accepted', 'resumed', 'voided')
    order by d.seq desc limit 1
  ), false)
$function$
CREATE OR REPLACE FUNCTION giro.is_lookup_answer(answer jsonb)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select coalesce(jsonb_typeof(answer) = 'object' and case answer ->> 'kind'
      when 'movement' then jsonb_typeof(answer #> '{movement,status}') = 'string'
        and answer #>> '{movement,echo}' in ('match', 'incomplete', 'mismatch')
        and jsonb_typeof(answer #> '{movement,echoFields}') = 'array'
        and not answer @? '$.movement.echoFields[*] ? (@.type() != "string")'
        and answer #>> '{movement,evidenceSha256}' ~ '^[0-9a-f]{64}$'
        and not answer #> '{movement}' @? '$.keyvalue() ? (
          @.key like_regex "^(movementId|network|networkId|postingAt|completedAt)$"
            && @.value.type() != "string" && @.value.type() != "null"
        )'
      when 'not-found' then true
      when 'no-answer' then jsonb_typeof(answer #> '{error,code}') = 'string'
    end, false)
    -- At most a day (`RETRY_AFTER_MAX_MS`): `may_ask_at` computes with it.
    and not exists (
      select from (values (answer -> 'retryAfterMs'), (answer #> '{error,retryAfterMs}')) said (ms)
      where case jsonb_typeof(said.ms)
        when 'number' then said.ms::numeric not between 0 and 86400000
        when 'null' then false
        else said.ms is not null
      end
    )
$function$
CREATE OR REPLACE FUNCTION giro.is_operator(name text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$ select name collate "C" ~ '^[A-Za-z0-9._@+-]{1,100}$' $function$
CREATE OR REPLACE FUNCTION giro.is_superseded(answer giro.answer)
 RETURNS boolean
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select exists (
    select from giro.result e cross join lateral (
      select a.* from giro.answer a where a.origin_id = e.origin_id order by a.number desc limit 1
    ) last
    where e.origin_id = answer.origin_id and e.status = 'COMPLETED' and e.result ->> 'decidedBy' = 'bank'
      and e.recorded_at <= clock_timestamp() - interval '8760 hours'
      -- An answer that came after the result is no evidence for it.
      and last.number > answer.number and last.record_id < e.record_id
      and (last.kind, last.bank_status, last.echo) = ('movement', 'COMPLETED', 'match')
      and (last.movement_id, last.network, last.network_id) is not distinct from (
        e.result ->> 'movementId', e.result ->> 'network', e.result ->> 'networkId'
      )
      and answer.kind in ('answered', 'movement') and answer.echo = 'match'
      and answer.bank_status in ('CREATED', 'IN_PROGRESS', 'COMPLETED')
      and coalesce(answer.movement_id, last.movement_id) is not distinct from last.movement_id
      and coalesce(answer.network_id, last.network_id) is not distinct from last.network_id
      and not exists (select from giro.flags f where f.origin_id = e.origin_id)
      and not exists (select from giro.decision d where d.origin_id = e.origin_id)
      and not exists (select from giro.doubt d where d.origin_id = e.origin_id)
      and not exists (select from giro.inquiry_answer i where i.origin_id = e.origin_id and i.incident_id is not null)
      and not exists (select from giro.break b where b.origin_id = e.origin_id)
  )
$function$
CREATE OR REPLACE FUNCTION giro.is_unbelieved(answer giro.answer)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select answer.kind = 'not-sent'
    and answer.details #>> '{error,code}' ~ '^(IN_CLEAR|ANOTHER_ORDER|ANOTHER_BODY|BEYOND_LIMITS|PROOF_[A-Z_]+)$'
$function$
CREATE OR REPLACE FUNCTION giro.journal_id()
 RETURNS text
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if pg_is_in_recovery() then
    raise exception 'giro: a standby does not know its timeline' using errcode = 'read_only_sql_transaction';
  end if;
  return (select c.system_identifier::text from pg_control_system() c)
    || '/' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
end
$function$
CREATE OR REPLACE FUNCTION giro.list_flagged()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  if cardinality(new.reasons) = 0 then
    delete from giro.flagged_transfer f where f.origin_id = new.origin_id;
  else
    insert into giro.flagged_transfer (origin_id, opened_at, reasons)
    select t.origin_id, t.opened_at, new.reasons from giro.transfer t where t.origin_id = new.origin_id
    on conflict (origin_id) do update set reasons = excluded.reasons;
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION giro.list_open_transfer()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  insert into giro.open_transfer (origin_id, opened_at) values (new.origin_id, new.opened_at);
  return null;
end
$function$
CREATE OR REPLACE FUNCTION giro.list_open_verification()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform giro.lock_verification(new.request_id);
  if new.is_tracked then
    insert into giro.open_verification (request_id, checked_at)
    select new.request_id, new.recorded_at
    where not exists (select from giro.verification_outcome o where o.request_id = new.request_id)
    on conflict (request_id) do nothing;
  else
    delete from giro.open_verification o where o.request_id = new.request_id;
  end if;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION giro.live_proposals(origin_id bigint)
 RETURNS TABLE(seq integer, id text, action text, operator text, reason text, bank_status text, recorded_at timestamp with time zone)
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select distinct on (giro.operator_key(d.operator))
    d.seq, d.id, d.action, d.operator, d.reason, d.bank_status, d.recorded_at
  from giro.decision d
  where d.origin_id = live_proposals.origin_id and d.outcome = 'proposed' and d.seq > coalesce((
    select max(e.seq) from giro.decision e
    where e.origin_id = live_proposals.origin_id and e.outcome <> 'proposed'
  ), 0)
  order by giro.operator_key(d.operator), d.seq desc
$function$
CREATE OR REPLACE FUNCTION giro.lock_transfer(origin_id bigint)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$ select pg_advisory_xact_lock(hashtextextended('giro.transfer', origin_id)) $function$
CREATE OR REPLACE FUNCTION giro.lock_verification(request_id text)
 RETURNS void
 LANGUAGE sql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$ select pg_advisory_xact_lock(hashtextextended('giro.verification ' || request_id, 0)) $function$
CREATE OR REPLACE FUNCTION giro.may_ask_at(origin_id bigint, gap_ms double precision, delayed_gap_ms double precision, create_max_ms double precision, lookup_max_ms double precision)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  with inquiry as (
    select i.claimed_at, lookup_max_ms as longest_ms, a.recorded_at, a.answer as said
    from giro.inquiry i left join giro.inquiry_answer a using (origin_id, number)
    where i.origin_id = may_ask_at.origin_id order by i.number desc limit 1
  ), request as (
    select r.claimed_at, case when r.kind = 'create' then create_max_ms else lookup_max_ms end as longest_ms,
      a.recorded_at, a.details as said
    from giro.request r left join giro.answer a using (origin_id, number)
    where r.origin_id = may_ask_at.origin_id and r.kind <> 'withdrawal' order by r.number desc limit 1
  ), status as (
    select (
      select a.bank_status from (
        (select i.bank_status, i.recorded_at from giro.inquiry_answer i
          where i.origin_id = may_ask_at.origin_id and i.bank_status is not null order by i.number desc limit 1)
        union all
        (select r.bank_status, r.recorded_at from giro.answer r
          where r.origin_id = may_ask_at.origin_id and r.bank_status is not null order by r.number desc limit 1)
      ) a order by a.recorded_at desc limit 1
    ) as latest
  )
  select max(coalesce(q.recorded_at, q.claimed_at + make_interval(secs => q.longest_ms / 1000))
    + make_interval(secs => greatest(
        case when s.latest = 'DELAYED' then delayed_gap_ms else gap_ms end,
        (q.said ->> 'retryAfterMs')::float8, (q.said #>> '{error,retryAfterMs}')::float8
      ) / 1000))
  from (select * from inquiry union all select * from request) q cross join status s
$function$
CREATE OR REPLACE FUNCTION giro.not_found_after(origin_id bigint, number integer)
 RETURNS bigint
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select count(*)
  from (
    select least(a.recorded_at, coalesce(c.in_flight_until, c.claimed_at + interval '1 hour')) as ended_at
    from giro.request c left join giro.answer a using (origin_id, number)
    where c.origin_id = not_found_after.origin_id and c.number = not_found_after.number
  ) sent
  join giro.request r on r.origin_id = not_found_after.origin_id and r.number > not_found_after.number
    and r.kind = 'lookup' and r.claimed_at >= sent.ended_at
  cross join lateral (
    select a.kind from giro.answer a
    where a.origin_id = r.origin_id
      and (a.number = r.number or a.number < r.number and a.recorded_at <= r.claimed_at)
    order by a.number desc limit 1
  ) answered
  where answered.kind = 'not-found'
$function$
CREATE OR REPLACE FUNCTION giro.note_check()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  new.checked_at := clock_timestamp();
  return new;
end
$function$
CREATE OR REPLACE FUNCTION giro.note_status()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
declare
  transfer_id bigint := new.origin_id;
  first_id text;
  last_id text;
  is_told boolean;
  is_mismatched boolean;
  shown text;
  sent boolean;
  unanswered integer;
  stage_now text;
  -- The flags of `isHeld`; ORDER_TAMPERED is added below.
  holding text[] := array['JOURNAL_CONFLICT', 'ECHO_MISMATCH', 'ECHO_INCOMPLETE', 'VANISHED', 'OUTCOME_UNKNOWN'];
  held boolean := false;
begin
  perform giro.lock_transfer(transfer_id);
  if not exists (select from giro.open_transfer o where o.origin_id = transfer_id) then
    return null;
  end if;

  -- An answer to a create with a wrong echo says nothing about our order.
  select min(a.movement_id), max(a.movement_id),
    coalesce(bool_or(a.kind = 'movement' or a.kind = 'answered' and a.echo <> 'mismatch'), false),
    coalesce(bool_or(a.kind = 'movement' and a.echo = 'mismatch'), false),
    (array_agg(a.bank_status order by a.number desc) filter (where a.echo in ('match', 'incomplete')))[1]
  into first_id, last_id, is_told, is_mismatched, shown
  from giro.answer a where a.origin_id = transfer_id;
  -- If answers name several movements, an answer counts only if it names no movement, or the first one that was named
  -- since operators last discarded the reported ids.
  if first_id <> last_id then
    select a.bank_status into shown
    from giro.answer a
    where a.origin_id = transfer_id and a.echo in ('match', 'incomplete') and (a.movement_id is null or a.movement_id = (
      select b.movement_id from giro.answer b
      where b.origin_id = a.origin_id and b.movement_id is not null
        and giro.forgotten_before(b) = giro.forgotten_before(a)
      order by b.record_id limit 1
    ))
    order by a.number desc limit 1;
  end if;

  select count(*) filter (where a.number is null),
    count(*) filter (where a.kind is distinct from 'not-sent') > 0
      or exists (select from giro.doubt d where d.origin_id = transfer_id)
  into unanswered, sent
  from giro.request r left join giro.answer a using (origin_id, number)
  where r.origin_id = transfer_id and r.kind = 'create';
  stage_now := case when is_told then 'polling' when sent then 'looking-up' else 'sending' end;

  if shown is null then
    -- ORDER_TAMPERED does not hold an order whose withdrawal is claimed: that order is never sent.
    if stage_now <> 'sending' or (
      select r.kind from giro.request r where r.origin_id = transfer_id order by r.number desc limit 1
    ) is distinct from 'withdrawal' then
      holding := holding || 'ORDER_TAMPERED'::text;
    end if;
    -- Until the result is recorded, the flags at the acceptance of an end hold the transfer too.
    held := coalesce((
        select f.reasons && holding from giro.flags f where f.origin_id = transfer_id order by f.seq desc limit 1
      ), false)
      or coalesce((
        select d.outcome = 'accepted' and d.action <> 'resend' and d.flags && holding
        from giro.decision d where d.origin_id = transfer_id order by d.seq desc limit 1
      ), false)
      -- Holds that only operators can lift. Of these, ORDER_TAMPERED no longer counts once the bank has reported a
      -- movement, because then Giro sends nothing more by itself.
      or case when is_told then array_remove(giro.standing_holds(transfer_id), 'ORDER_TAMPERED')
        else giro.standing_holds(transfer_id) end && holding;
    -- In the answers since operators last discarded the reported ids, a look-up's echo mismatch or two different
    -- movement ids hold the transfer.
    if not held and (is_mismatched or first_id <> last_id) then
      held := exists (
        select from giro.answer a left join giro.answer b
          on b.origin_id = a.origin_id and b.movement_id <> a.movement_id
            and giro.forgotten_before(b) = giro.forgotten_before(a)
        where a.origin_id = transfer_id and (a.kind = 'movement' and a.echo = 'mismatch' or b.number is not null)
          and not exists (
            select from giro.decision d
            where d.origin_id = a.origin_id and giro.forgets_ids(d) and not giro.is_after(a, d)
          )
      );
    end if;
  end if;

  update giro.open_transfer o
  set bank_status = shown, stage = stage_now, is_sent = sent, unanswered_creates = unanswered,
    status = coalesce(shown, case when held then 'held' else stage_now end)
  where o.origin_id = transfer_id;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION giro.operator_key(name text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$ select lower(name collate "C") $function$
CREATE OR REPLACE FUNCTION giro.recover_stop(stopped_at timestamp with time zone, operator text, reason text)
 RETURNS boolean
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform pg_advisory_xact_lock(hashtextextended('giro.sending', 0));
  if exists (
    select from (select s.stopped, s.recorded_at from giro.sending s order by s.record_id desc limit 1) last
    where last.stopped or last.recorded_at >= stopped_at
  ) then
    return false;
  end if;
  insert into giro.sending (stopped, operator, reason, recorded_at)
  values (
    true, recover_stop.operator, recover_stop.reason, least(stopped_at, clock_timestamp() + interval '1 minute')
  );
  insert into giro.audit (action, operator, reason) values ('recover stop', recover_stop.operator, recover_stop.reason);
  return true;
end
$function$
CREATE OR REPLACE FUNCTION giro.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  raise exception 'giro.% is append-only: % refused', tg_table_name, tg_op using errcode = 'GR003';
end
$function$
CREATE OR REPLACE FUNCTION giro.resend_after(origin_id bigint)
 RETURNS integer
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select case when d.outcome = 'accepted' and d.action = 'resend' then d.after_number end
  from giro.decision d
  where d.origin_id = resend_after.origin_id and (d.outcome = 'accepted' or giro.takes_repeat_away(d, true))
  order by d.seq desc limit 1
$function$
CREATE OR REPLACE FUNCTION giro.run_lock(as_of timestamp with time zone)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$ select hashtextextended('giro.reconciliation', extract(epoch from as_of)::bigint) $function$
CREATE OR REPLACE FUNCTION giro.sending_over(origin_id bigint)
 RETURNS text
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select case
    when sent.doubts > 0 then 'the journal has lost requests of it'
    when exists (
      select from giro.answer a where a.origin_id = sending_over.origin_id and a.kind = 'movement'
    ) then 'a look-up found a movement'
    when sent.creates >= 3 then 'three creates may have reached the bank'
    when sent.resend_until < clock_timestamp() then 'the time for repeats is over'
  end
  from (
    select count(*) filter (where p.number is null) as doubts, count(p.number) as creates,
      (array_agg(coalesce(p.resend_until, p.claimed_at + interval '1 hour') order by p.number))[1] as resend_until
    from giro.perhaps_sent p where p.origin_id = sending_over.origin_id
  ) sent
$function$
CREATE OR REPLACE FUNCTION giro.standing_holds(origin_id bigint)
 RETURNS text[]
 LANGUAGE sql
 STABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select coalesce(array_agg(distinct raised.reason), '{}')
  from (
    select f.record_id, f_reason.reason
    from giro.flags f cross join unnest(f.reasons) f_reason (reason)
    where f.origin_id = standing_holds.origin_id and f_reason.reason in ('ORDER_TAMPERED', 'JOURNAL_CONFLICT')
    union all
    select a.record_id, 'ORDER_TAMPERED'
    from giro.answer a where a.origin_id = standing_holds.origin_id and giro.is_unbelieved(a)
  ) raised
  where raised.record_id > coalesce((
    select max(d.record_id) from giro.decision d
    where d.origin_id = standing_holds.origin_id
      and (d.outcome = 'resumed' or d.outcome = 'accepted' and d.action = 'resend')
  ), 0)
$function$
CREATE OR REPLACE FUNCTION giro.statement_lock(statement_id bigint)
 RETURNS bigint
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$ select hashtextextended('giro.statement', statement_id) $function$
CREATE OR REPLACE FUNCTION giro.takes_repeat_away(decision giro.decision, was_sent boolean)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
  select decision.outcome = 'accepted' and decision.action = 'resend'
    or decision.outcome = 'resumed' and (
      decision.flags && array['OUTCOME_UNKNOWN', 'VANISHED']
      or was_sent and decision.flags && array['JOURNAL_CONFLICT', 'ORDER_TAMPERED']
    )
$function$
CREATE OR REPLACE FUNCTION giro.unlist_open_transfer()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  delete from giro.open_transfer o where o.origin_id = new.origin_id;
  return null;
end
$function$
CREATE OR REPLACE FUNCTION giro.unlist_open_verification()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'pg_temp'
AS $function$
begin
  perform giro.lock_verification(new.request_id);
  delete from giro.open_verification o where o.request_id = new.request_id;
  return null;
end
$function$
accepted_by(): giro_runtime EXECUTE
annulment: giro_operator SELECT
annulment: giro_runtime SELECT
annulment.amount: giro_client SELECT
annulment.amount: giro_runtime INSERT
annulment.bank_completed_at: giro_client SELECT
annulment.bank_completed_at: giro_runtime INSERT
annulment.bank_posting_at: giro_client SELECT
annulment.bank_posting_at: giro_runtime INSERT
annulment.bank_status: giro_client SELECT
annulment.bank_status: giro_runtime INSERT
annulment.currency: giro_client SELECT
annulment.currency: giro_runtime INSERT
annulment.decided_by: giro_client SELECT
annulment.decided_by: giro_runtime INSERT
annulment.evidence_number: giro_runtime INSERT
annulment.evidence_sha256: giro_client SELECT
annulment.evidence_sha256: giro_runtime INSERT
annulment.id: giro_client SELECT
annulment.movement_id: giro_client SELECT
annulment.movement_id: giro_runtime INSERT
annulment.network: giro_client SELECT
annulment.network: giro_runtime INSERT
annulment.network_id: giro_client SELECT
annulment.network_id: giro_runtime INSERT
annulment.operators: giro_client SELECT
annulment.operators: giro_runtime INSERT
annulment.origin_id: giro_client SELECT
annulment.origin_id: giro_runtime INSERT
annulment.reason: giro_runtime INSERT
annulment.record_id: giro_client SELECT
annulment.recorded_at: giro_client SELECT
annulment_agrees(): giro_runtime EXECUTE
answer: giro_operator SELECT
answer: giro_runtime SELECT
answer.bank_status: giro_runtime INSERT
answer.completed_at: giro_runtime INSERT
answer.details: giro_runtime INSERT
answer.digest: giro_runtime INSERT
answer.echo: giro_runtime INSERT
answer.evidence_sha256: giro_runtime INSERT
answer.kind: giro_runtime INSERT
answer.movement_id: giro_runtime INSERT
answer.network: giro_runtime INSERT
answer.network_id: giro_runtime INSERT
answer.number: giro_runtime INSERT
answer.origin_id: giro_runtime INSERT
answer.posting_at: giro_runtime INSERT
answer_json(): giro_operator EXECUTE
answer_json(): giro_runtime EXECUTE
archive: giro_operator SELECT
archive: giro_runtime SELECT
audit: giro_operator SELECT
audit.action: giro_client INSERT
audit.action: giro_operator INSERT
audit.details: giro_client INSERT
audit.details: giro_operator INSERT
audit.operator: giro_client INSERT
audit.operator: giro_operator INSERT
audit.reason: giro_client INSERT
audit.reason: giro_operator INSERT
audit.subject: giro_client INSERT
audit.subject: giro_operator INSERT
begin_statement(): giro_operator EXECUTE
break: giro_operator SELECT
break: giro_runtime SELECT
break.break: giro_operator UPDATE
break.break: giro_runtime INSERT, UPDATE
break.key: giro_runtime INSERT
break.version: giro_operator UPDATE
break.version: giro_runtime INSERT, UPDATE
break_change: giro_operator SELECT
break_change: giro_runtime SELECT
break_change.as_of: giro_runtime INSERT
break_change.key: giro_operator INSERT
break_change.key: giro_runtime INSERT
break_change.kind: giro_operator INSERT
break_change.kind: giro_runtime INSERT
break_change.note: giro_operator INSERT
break_change.operator: giro_operator INSERT
break_change.severity: giro_operator INSERT
break_change.severity: giro_runtime INSERT
break_change.state: giro_operator INSERT
break_change.state: giro_runtime INSERT
break_change.version: giro_operator INSERT
break_change.version: giro_runtime INSERT
break_seen: giro_operator SELECT
break_seen: giro_runtime DELETE, SELECT
break_seen.as_of: giro_runtime INSERT
break_seen.break: giro_runtime INSERT
break_seen.key: giro_runtime INSERT
break_seen.step: giro_runtime INSERT
confirm_debit(): giro_runtime EXECUTE
create_refusal(): giro_runtime EXECUTE
decision: giro_operator SELECT
decision: giro_runtime SELECT
decision.action: giro_client SELECT
decision.action: giro_runtime INSERT
decision.after_number: giro_runtime INSERT
decision.bank_status: giro_client SELECT
decision.bank_status: giro_runtime INSERT
decision.flags: giro_runtime INSERT
decision.id: giro_client SELECT
decision.id: giro_runtime INSERT
decision.key_fingerprint: giro_runtime INSERT
decision.line: giro_runtime INSERT
decision.line_sha256: giro_runtime INSERT
decision.operator: giro_client SELECT
decision.operator: giro_runtime INSERT
decision.operators: giro_client SELECT
decision.operators: giro_runtime INSERT
decision.origin_id: giro_client SELECT
decision.origin_id: giro_runtime INSERT
decision.outcome: giro_client SELECT
decision.outcome: giro_runtime INSERT
decision.reason: giro_runtime INSERT
decision.record_id: giro_client SELECT
decision.recorded_at: giro_client SELECT
decision.seq: giro_runtime INSERT
decision.signature: giro_runtime INSERT
differing_values: giro_operator SELECT
differing_values: giro_runtime SELECT
differing_values.number: giro_runtime INSERT
differing_values.origin_id: giro_runtime INSERT
differing_values.sealed: giro_runtime INSERT
doubt: giro_operator SELECT
doubt: giro_runtime SELECT
doubt.origin_id: giro_runtime INSERT
doubt.reason: giro_runtime INSERT
feed_horizon(): giro_client EXECUTE
feed_horizon(): giro_runtime EXECUTE
feed_lock_class(): giro_client EXECUTE
feed_lock_class(): giro_operator EXECUTE
feed_lock_class(): giro_runtime EXECUTE
flagged_transfer: giro_operator SELECT
flagged_transfer: giro_runtime SELECT
flags: giro_operator SELECT
flags: giro_runtime SELECT
flags.conflict: giro_runtime INSERT
flags.origin_id: giro_client SELECT
flags.origin_id: giro_runtime INSERT
flags.reasons: giro_client SELECT
flags.reasons: giro_runtime INSERT
flags.record_id: giro_client SELECT
flags.recorded_at: giro_client SELECT
flags.seq: giro_client SELECT
flags.seq: giro_runtime INSERT
forgets_ids(): giro_operator EXECUTE
forgets_ids(): giro_runtime EXECUTE
has_two_movements(): giro_runtime EXECUTE
hint: giro_runtime DELETE, INSERT, SELECT, UPDATE
inbox_cap: giro_receiver SELECT
inbox_size: giro_receiver SELECT
incident_acknowledgement: giro_operator SELECT
incident_acknowledgement: giro_runtime SELECT
incident_acknowledgement.incident_id: giro_client SELECT
incident_acknowledgement.incident_id: giro_operator INSERT
incident_acknowledgement.note: giro_operator INSERT
incident_acknowledgement.operator: giro_client SELECT
incident_acknowledgement.operator: giro_operator INSERT
incident_acknowledgement.origin_id: giro_client SELECT
incident_acknowledgement.origin_id: giro_operator INSERT
incident_acknowledgement.record_id: giro_client SELECT
incident_acknowledgement.recorded_at: giro_client SELECT
inquiry: giro_operator SELECT
inquiry: giro_runtime SELECT
inquiry.asked_by: giro_operator INSERT
inquiry.asked_by: giro_runtime INSERT
inquiry.number: giro_operator INSERT
inquiry.number: giro_runtime INSERT
inquiry.origin_id: giro_operator INSERT
inquiry.origin_id: giro_runtime INSERT
inquiry_answer: giro_operator SELECT
inquiry_answer: giro_runtime SELECT
inquiry_answer.agrees: giro_operator INSERT
inquiry_answer.agrees: giro_runtime INSERT
inquiry_answer.answer: giro_client SELECT
inquiry_answer.answer: giro_operator INSERT
inquiry_answer.answer: giro_runtime INSERT
inquiry_answer.bank_status: giro_client SELECT
inquiry_answer.fact: giro_client SELECT
inquiry_answer.fact: giro_operator INSERT
inquiry_answer.fact: giro_runtime INSERT
inquiry_answer.incident_id: giro_client SELECT
inquiry_answer.movement_id: giro_client SELECT
inquiry_answer.number: giro_operator INSERT
inquiry_answer.number: giro_runtime INSERT
inquiry_answer.origin_id: giro_client SELECT
inquiry_answer.origin_id: giro_operator INSERT
inquiry_answer.origin_id: giro_runtime INSERT
inquiry_answer.record_id: giro_client SELECT
inquiry_answer.recorded_at: giro_client SELECT
is_after(): giro_operator EXECUTE
is_after(): giro_runtime EXECUTE
is_end_accepted(): giro_runtime EXECUTE
is_lookup_answer(): giro_operator EXECUTE
is_lookup_answer(): giro_runtime EXECUTE
is_operator(): giro_client EXECUTE
is_operator(): giro_operator EXECUTE
is_operator(): giro_runtime EXECUTE
is_superseded(): giro_operator EXECUTE
is_unbelieved(): giro_runtime EXECUTE
journal_id(): giro_client EXECUTE
journal_id(): giro_runtime EXECUTE
journal_mark: giro_client SELECT
journal_mark.journal_id: giro_client INSERT
live_proposals(): giro_operator EXECUTE
live_proposals(): giro_runtime EXECUTE
lock_transfer(): giro_operator EXECUTE
lock_transfer(): giro_runtime EXECUTE
lost_reference.origin_id: giro_client INSERT, SELECT
lost_reference.reference_sha256: giro_client INSERT, SELECT
mark_id: giro_client USAGE
may_ask_at(): giro_operator EXECUTE
may_ask_at(): giro_runtime EXECUTE
migration: giro_client SELECT
migration: giro_operator SELECT
migration: giro_receiver SELECT
migration: giro_runtime SELECT
not_asked: giro_operator SELECT
not_asked: giro_runtime DELETE, SELECT
not_asked.as_of: giro_runtime INSERT
not_asked.book: giro_runtime INSERT
not_asked.origin_id: giro_runtime INSERT
not_asked.reason: giro_runtime INSERT
not_asked.step: giro_runtime INSERT
not_found_after(): giro_runtime EXECUTE
notification: giro_runtime DELETE, SELECT
notification.body: giro_receiver INSERT
notification.delivery_key: giro_operator SELECT
notification.delivery_key: giro_receiver INSERT, SELECT
notification.done_at: giro_operator SELECT
notification.done_at: giro_runtime UPDATE
notification.due_at: giro_runtime UPDATE
notification.id: giro_receiver SELECT
notification.key_id: giro_receiver INSERT
notification.outcome: giro_operator SELECT
notification.outcome: giro_runtime UPDATE
notification.received_at: giro_operator SELECT
notification.tries: giro_operator SELECT
notification.tries: giro_runtime UPDATE
notification.unfinished: giro_runtime UPDATE
open_transfer: giro_operator SELECT
open_transfer: giro_runtime SELECT
open_verification: giro_operator SELECT
open_verification: giro_runtime SELECT
open_verification.checked_at: giro_operator UPDATE
open_verification.checked_at: giro_runtime UPDATE
operator_key(): giro_operator EXECUTE
operator_key(): giro_runtime EXECUTE
origin_id: giro_client USAGE
orphan_debit: giro_operator SELECT
orphan_debit: giro_runtime SELECT
perhaps_sent: giro_operator SELECT
perhaps_sent: giro_runtime SELECT
reconciled: giro_operator SELECT
reconciled: giro_runtime DELETE, SELECT
reconciled.as_of: giro_runtime INSERT
reconciled.confirmed: giro_runtime INSERT
reconciled.evidence_sha256: giro_runtime INSERT
reconciled.origin_id: giro_runtime INSERT
reconciled.source: giro_runtime INSERT
reconciled.step: giro_runtime INSERT
reconciliation: giro_operator SELECT
reconciliation: giro_runtime SELECT
reconciliation.as_of: giro_runtime INSERT
reconciliation.from_at: giro_runtime INSERT
reconciliation.is_default_window: giro_runtime INSERT
reconciliation.statement_id: giro_runtime INSERT
reconciliation.to_at: giro_runtime INSERT
reconciliation_emptied: giro_runtime SELECT
reconciliation_emptied.as_of: giro_runtime INSERT
reconciliation_end: giro_operator SELECT
reconciliation_end: giro_runtime SELECT
reconciliation_end.as_of: giro_runtime INSERT
reconciliation_end.report: giro_runtime INSERT
reconciliation_forgotten: giro_operator SELECT
reconciliation_forgotten: giro_runtime SELECT
reconciliation_forgotten.as_of: giro_runtime INSERT
reconciliation_item: giro_operator SELECT
reconciliation_item: giro_runtime DELETE, INSERT, SELECT
reconciliation_listed: giro_operator SELECT
reconciliation_listed: giro_runtime SELECT
reconciliation_listed.as_of: giro_runtime INSERT
reconciliation_listed.transfers: giro_runtime INSERT
reconciliation_step: giro_operator SELECT
reconciliation_step: giro_runtime SELECT
reconciliation_step.as_of: giro_runtime INSERT
reconciliation_step.outcome: giro_runtime INSERT
reconciliation_step.step: giro_runtime INSERT
record_id: giro_client SELECT, USAGE
record_id: giro_operator SELECT, USAGE
record_id: giro_runtime SELECT, USAGE
recover_stop(): giro_runtime EXECUTE
recovery_place: giro_operator SELECT
recovery_place: giro_runtime SELECT
recovery_place.origin_id: giro_operator UPDATE
recovery_place.origin_id: giro_runtime UPDATE
reference: giro_operator SELECT
reference: giro_runtime SELECT
reference.bound_at: giro_client SELECT
reference.origin_id: giro_client INSERT, SELECT
reference.reference: giro_client INSERT, SELECT
report_link: giro_operator SELECT
report_link: giro_runtime SELECT
report_link.as_of: giro_runtime INSERT
report_link.cursor: giro_runtime INSERT
report_link.previous_sha256: giro_runtime INSERT
report_link.records: giro_runtime INSERT
report_link.sequence: giro_runtime INSERT
report_link.sha256: giro_runtime INSERT
request: giro_operator SELECT
request: giro_runtime SELECT
request.in_flight_until: giro_runtime INSERT
request.kind: giro_runtime INSERT
request.number: giro_runtime INSERT
request.origin_id: giro_runtime INSERT
request.resend_until: giro_runtime INSERT
request.run_id: giro_runtime INSERT
resend_after(): giro_runtime EXECUTE
result: giro_operator SELECT
result: giro_runtime SELECT
result.origin_id: giro_client SELECT
result.origin_id: giro_runtime INSERT
result.record_id: giro_client SELECT
result.recorded_at: giro_client SELECT
result.result: giro_runtime INSERT
result.status: giro_client SELECT
result_event: giro_client SELECT
run_lock(): giro_runtime EXECUTE
schema giro: giro_client USAGE
schema giro: giro_operator USAGE
schema giro: giro_receiver USAGE
schema giro: giro_runtime USAGE
sending: giro_operator SELECT
sending: giro_runtime SELECT
sending.operator: giro_operator INSERT
sending.reason: giro_operator INSERT
sending.stopped: giro_operator INSERT
sending_over(): giro_operator EXECUTE
sending_over(): giro_runtime EXECUTE
standing_holds(): giro_runtime EXECUTE
statement: giro_operator SELECT
statement: giro_runtime SELECT
statement_end: giro_operator SELECT
statement_end: giro_runtime SELECT
statement_end.sha256: giro_operator INSERT
statement_end.statement_id: giro_operator INSERT
statement_end.summary: giro_operator INSERT
statement_line: giro_runtime DELETE, SELECT
statement_line.account: giro_operator INSERT
statement_line.amount: giro_operator INSERT
statement_line.booked_at: giro_operator INSERT
statement_line.counterparty: giro_operator INSERT
statement_line.currency: giro_operator INSERT
statement_line.direction: giro_operator INSERT
statement_line.line: giro_operator INSERT
statement_line.movement_id: giro_operator INSERT
statement_line.network_id: giro_operator INSERT
statement_line.ordinal: giro_operator INSERT
statement_line.origin_id: giro_operator INSERT
statement_line.statement_id: giro_operator INSERT
statement_lock(): giro_operator EXECUTE
statement_match: giro_runtime DELETE, INSERT, SELECT
statistics: giro_runtime SELECT
statistics.counts: giro_runtime UPDATE
suspected_debit: giro_operator SELECT
suspected_debit: giro_runtime DELETE, SELECT
suspected_debit.ask_at: giro_runtime INSERT, UPDATE
suspected_debit.asked: giro_runtime UPDATE
suspected_debit.delivery_key: giro_runtime INSERT
suspected_debit.movement_ids: giro_runtime INSERT
suspected_debit.movement_type: giro_runtime INSERT
suspected_debit.network_ids: giro_runtime INSERT
suspected_debit.not_found: giro_runtime UPDATE
suspected_debit.origin_ids: giro_runtime INSERT
takes_repeat_away(): giro_runtime EXECUTE
transfer: giro_operator SELECT
transfer: giro_runtime SELECT
transfer.create_body_sha256: giro_runtime INSERT
transfer.order_json: giro_runtime INSERT
transfer.order_sha256: giro_client SELECT
transfer.order_sha256: giro_runtime INSERT
transfer.origin_id: giro_client SELECT
transfer.origin_id: giro_runtime INSERT
transfer.proof: giro_runtime INSERT
verification: giro_operator SELECT
verification: giro_runtime SELECT
verification.request_id: giro_runtime INSERT
verification_answer: giro_client SELECT
verification_answer: giro_operator SELECT
verification_answer.request_id: giro_runtime INSERT, SELECT
verification_answer.sealed: giro_runtime INSERT
verification_answer.seq: giro_runtime INSERT, SELECT
verification_flags: giro_operator SELECT
verification_flags: giro_runtime SELECT
verification_flags.reasons: giro_runtime INSERT
verification_flags.request_id: giro_runtime INSERT
verification_flags.seq: giro_runtime INSERT
verification_outcome: giro_operator SELECT
verification_outcome: giro_runtime SELECT
verification_outcome.outcome: giro_runtime INSERT
verification_outcome.request_id: giro_runtime INSERT
verification_outcome.seq: giro_runtime INSERT
verification_status: giro_operator SELECT
verification_status: giro_runtime SELECT
verification_status.evidence_sha256: giro_runtime INSERT
verification_status.meaning: giro_runtime INSERT
verification_status.request_id: giro_runtime INSERT
verification_status.seq: giro_runtime INSERT
verification_status.status: giro_runtime INSERT
verification_status.status_at: giro_runtime INSERT
verification_tracking: giro_operator SELECT
verification_tracking: giro_runtime SELECT
verification_tracking.is_tracked: giro_runtime INSERT
verification_tracking.request_id: giro_runtime INSERT
verification_tracking.seq: giro_runtime INSERT
webhook_check: giro_runtime SELECT
webhook_check.findings: giro_runtime INSERT
