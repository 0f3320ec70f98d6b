/** SQL: the result of a verification as JSON, from its outcome `o` and that outcome's word `ended`; null: it is open. */
export const VERIFICATION_RESULT_JSON = `case when o.request_id is not null then jsonb_build_object(
    'requestId', o.request_id, 'outcome', o.outcome, 'status', ended.status,
    'statusDate', to_char(ended.status_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
  ) end`;
