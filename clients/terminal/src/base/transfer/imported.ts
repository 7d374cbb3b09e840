/** Columns of an import that every file may have. */
export const IMPORTED = [
  'external_key',
  'player_name',
  'value',
  'occurred_at',
  'value_display',
  'metadata',
  'identity_kind',
  'is_test',
  'country',
  'platform',
  'tags',
  'player_tags',
] as const;

/** Columns of exports, which decide about ties, replacements, names and rows that do not count. */
export const IMPORTED_OF_EXPORTS = [
  'status',
  'counts',
  'seq',
  'score_id',
  'event_id',
  'shown_name',
  'present_name',
] as const;
