/**
 * SQL: when the journal last lost requests of the transfer `t` (a row of `giro.transfer`), as far as is known; null:
 * never.
 */
export const restoredAt = (t: string): string => `greatest(
    (select max(x.recorded_at) from giro.restoration x where x.origin_id is null and x.recorded_at > ${t}.opened_at),
    (select max(x.recorded_at) from giro.restoration x where x.origin_id = ${t}.origin_id))`;
