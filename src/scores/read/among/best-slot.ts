/**
 * The slot of an identity's best entry on a board `b`: where every run is an entry, the state holds the best one.
 * @param identity an SQL expression
 * @param isTest the population, an SQL expression
 */
export function bestSlotOf(identity: string, isTest = '$2::boolean'): string {
  return `case b.board_type when 'run_runs' then (select s.selected_event_id from states s
    where s.board_id = b.board_id and s.is_test = ${isTest} and s.identity_id = ${identity}) else ${identity} end`;
}
