/** The records of a configuration file. Ratio rules are part of their board. */
export type Kind = 'game' | 'board' | 'template' | 'webhook';

/** Values of a record by the file's names. */
export type Values = Record<string, unknown>;

interface RecordShape {
  /** Type of the API's records, in GraphQL and in the OpenAPI document. */
  type: string;
  /** Names of the fields that a file must give. */
  required: string[];
  /** Fields of the API's inputs that a file has not, by REST's names, each with the reason. */
  leftOut: Record<string, string>;
}

const SCOPE = 'the account is that of the key, or --account';
const PLACE = 'records are listed under their game';
const DELETED = 'records in the file exist; apply --prune deletes the others';
const NAMED = 'records in the file are known by slug or name';

/** A field of these inputs is in the file, unless it is left out here; clients/terminal/test/units/configuration.test.ts holds it. */
export const SHAPES: Record<Kind | 'ratio', RecordShape> = {
  game: { type: 'Game', required: ['name'], leftOut: { account_id: SCOPE, id: NAMED, deleted: DELETED } },
  board: {
    type: 'Board',
    required: ['name'],
    leftOut: { account_id: SCOPE, game_id: PLACE, id: NAMED, deleted: DELETED },
  },
  template: {
    type: 'BoardTemplate',
    required: ['name', 'repeat_interval', 'next_run_at'],
    leftOut: { account_id: SCOPE, game_id: PLACE, id: NAMED, deleted: DELETED },
  },
  webhook: {
    type: 'WebhookEndpoint',
    required: ['name', 'url', 'events'],
    leftOut: { account_id: SCOPE, id: NAMED, deleted: DELETED },
  },
  ratio: { type: 'RatioConfig', required: ['numerator_board', 'denominator_board'], leftOut: {} },
};

/** Fields that hold an id in the API and the slug or the name of a record of the same game in the file. */
export const REFERENCES: Record<string, 'board' | 'template'> = {
  default_board_id: 'board',
  numerator_board_id: 'board',
  denominator_board_id: 'board',
  created_from_template_id: 'template',
};

/** Fields of webhooks that hold ids in the API, and names of games and boards of any game in the file. */
export const FILTERS: Record<string, 'games' | 'boards'> = { game_ids: 'games', board_ids: 'boards' };

/** Returns `keep_strategy` for `keepStrategy`. */
export function restName(member: string): string {
  return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The file's name of a field by its name in REST: `default_board` for `default_board_id`. */
export function fileName(name: string): string {
  return FILTERS[name] ?? (name in REFERENCES ? name.replace(/_id$/, '') : name);
}

/** The kind of record that a field of the file names; undefined: it holds a value. */
export function referenceOf(field: string): 'board' | 'template' | undefined {
  return REFERENCES[`${field}_id`];
}

/** Fields at the beginning of a record; the others follow in the order of the alphabet. */
const FIRST = [
  'name',
  'slug',
  'short_code',
  'description',
  'url',
  'events',
  'board_type',
  'keep_strategy',
  'sort_direction',
];

/** Long objects, at the end. */
const LAST = ['ratio_config', 'anti_cheat_settings', 'config'];

function placeOf(field: string): number {
  if (FIRST.includes(field)) return FIRST.indexOf(field) - FIRST.length;
  return LAST.indexOf(field) + 1;
}

/** Fields in the order in which people read them. */
export function inOrder(fields: string[]): string[] {
  return fields.toSorted((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1));
}
