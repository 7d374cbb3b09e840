import { AUDIT_FILTERS, EXPORT_FORMATS, EXPORTED } from '../../base/transfer/exported.js';
import type { JsonSchema } from '../openapi/json-schema.js';
import { forAdministrators } from '../openapi/operation.js';
import { type ExportRoute, exportRoutes } from './routes.js';

const ABOUT_EXPORTS =
  'CSV or NDJSON, compressed if the request accepts gzip. Events are exported up to the latest one at ' +
  'the start. Standings are in ranking order, production before test; players who change during the ' +
  'export are written again at the end, and the last line of a player (or of a run, on boards that rank ' +
  'every run) is the valid one. The last line is a trailer with the sequence number and the number of ' +
  'lines; a response without it is incomplete. An account can have four exports open at a time per ' +
  'process; more get 429.';

const ABOUT_FORMATS =
  'The format. `spreadsheet` is CSV for Excel and similar programs: text starting with `=`, `+`, `-`, ' +
  '`@`, a tab or a carriage return is prefixed with an apostrophe, so that it is not run as a formula. ' +
  'The column `cells_marked` and the trailer record this, and an import removes the apostrophes.';

const EXPORT_EXAMPLES: Record<string, string> = {
  csv: 'board_id,is_test,rank,…\n# trailer what=standings board_id=brd_… seq=812 count=120\n',
  ndjson:
    '{"board_id":"brd_…","is_test":false,"rank":1,…}\n{"trailer":{"what":"standings","board_id":"brd_…","seq":812,"count":120}}\n',
};

const word = (name: string, description: string, words: readonly string[]): JsonSchema => ({
  name,
  in: 'query',
  required: false,
  allowEmptyValue: true,
  description,
  schema: { type: 'string', enum: words, default: words[0], examples: [words[0]] },
});

const text = (name: string, description: string, example: string): JsonSchema => ({
  name,
  in: 'query',
  required: false,
  allowEmptyValue: true,
  description,
  schema: { type: 'string', maxLength: 200, examples: [example] },
});

const VIEW = [
  text('view', 'With standings: export this view of the board.', 'weekly'),
  text('of', 'With `view`: its period, by key, or `current` (default) or `previous`.', '2026-W48'),
  text('where', 'With a view by tags: the value of each tag.', 'country:NL'),
];

const EXAMPLE_ID = '01976d7e-5a3f-7c3b-9d0a-3f2c5d9e8b11';
const PREFIX = { board: 'brd', game: 'gam', account: 'acc', identity: 'ide' } as const;

const ABOUT_PLAYER =
  'NDJSON, compressed if the request accepts gzip, with one line per record and its kind as `record`: ' +
  'the player, their devices and sessions, flags with reviews, audit entries, stored responses, and for ' +
  'each board their state, rulings, scores and events. The last line is a trailer with the number of ' +
  'lines; a response without it is incomplete. An account can have four exports open at a time per ' +
  'process; more get 429.';

const ABOUT_AUDIT =
  'CSV or NDJSON, compressed if the request accepts gzip, newest entry first. Filters are those of the ' +
  'list. The last line is a trailer with the number of lines; a response without it is incomplete. An ' +
  'account can have four exports open at a time per process; more get 429.';

const AUDIT_EXAMPLES: Record<string, string> = {
  csv: 'id,created_at,by,user_id,…\n# trailer what=audit count=12\n',
  ndjson: '{"id":"aud_…","created_at":"…","by":"user",…}\n{"trailer":{"what":"audit","count":12}}\n',
};

const AUDIT_EXAMPLE_OF: Record<(typeof AUDIT_FILTERS)[number], string> = {
  account_id: 'acc_01976d7e-5a3f-7c3b-9d0a-3f2c5d9e8b11',
  game_id: 'gam_01976d7e-5a3f-7c3b-9d0a-3f2c5d9e8b11',
  user_id: 'usr_01976d7e-5a3f-7c3b-9d0a-3f2c5d9e8b11',
  subject_id: 'brd_01976d7e-5a3f-7c3b-9d0a-3f2c5d9e8b11',
  action: 'record_changed',
  created_after: '2026-11-01T00:00:00Z',
  created_before: '2026-12-01T00:00:00Z',
};

const AUDIT_TEXTS: Record<(typeof AUDIT_FILTERS)[number], string> = {
  account_id: 'Only actions in this account.',
  game_id: 'Only actions about this game.',
  user_id: 'Only actions of this user.',
  subject_id: 'Only actions on this record.',
  action: 'Only actions of this kind.',
  created_after: 'Only actions after this moment.',
  created_before: 'Only actions before this moment.',
};

const PLAYER_EXAMPLE =
  '{"record":"identity","id":"ide_…",…}\n{"trailer":{"what":"identity","identity_id":"ide_…","count":12}}\n';

const linesLike = (example: string | undefined) => ({
  schema: { type: 'string', description: 'The exported lines.', examples: [example] },
});

const accountParameter: JsonSchema = {
  name: 'account_id',
  in: 'query',
  required: false,
  allowEmptyValue: true,
  description: 'The account of the record. Returns 403 if it belongs to another one.',
  schema: { type: 'string', examples: [`acc_${EXAMPLE_ID}`] },
};

const FORMAT = word('format', ABOUT_FORMATS, EXPORT_FORMATS);

function parametersOf({ kind, parameter }: ExportRoute): JsonSchema[] {
  if (kind === 'audit') {
    const filters = AUDIT_FILTERS.map((name) => text(name, AUDIT_TEXTS[name], AUDIT_EXAMPLE_OF[name]));
    return [...filters, FORMAT];
  }
  const record = {
    name: parameter,
    in: 'path',
    required: true,
    description: 'The id of the record.',
    schema: { type: 'string', examples: [`${PREFIX[kind]}_${EXAMPLE_ID}`] },
  };
  return [
    record,
    ...(kind === 'identity' ? [] : [word('what', 'The kind of records.', EXPORTED), FORMAT]),
    ...(kind === 'board' ? VIEW : []),
    ...(kind === 'account' ? [] : [accountParameter]),
  ];
}

function describedRoute(route: ExportRoute, headers: JsonSchema) {
  const { kind, group, operationId, summary, right } = route;
  const ofPlayer = kind === 'identity';
  const about = ofPlayer ? ABOUT_PLAYER : kind === 'audit' ? ABOUT_AUDIT : ABOUT_EXPORTS;
  const examples = kind === 'audit' ? AUDIT_EXAMPLES : EXPORT_EXAMPLES;
  const refused = { board: [400, 401, 403, 404], audit: [401, 403] };
  const errors = [...(refused[kind as 'board'] ?? [401, 403, 404]), 422, 429, 500, 503];
  return {
    get: {
      operationId,
      tags: [group],
      summary,
      description: `${about} ${forAdministrators([right])}`,
      security: [{ apiKey: [] }],
      parameters: parametersOf(route),
      responses: {
        200: {
          description: 'Done.',
          headers,
          content: {
            ...(!ofPlayer && { 'text/csv': linesLike(examples.csv) }),
            'application/x-ndjson': linesLike(ofPlayer ? PLAYER_EXAMPLE : examples.ndjson),
            'text/plain': linesLike(ofPlayer ? PLAYER_EXAMPLE : examples.ndjson),
          },
        },
        ...Object.fromEntries(
          errors.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
        ),
      },
    },
  };
}

/** Paths of exports in the OpenAPI document. */
export function exportPaths(headers: JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(exportRoutes.map((route) => [route.path, describedRoute(route, headers)]));
}
