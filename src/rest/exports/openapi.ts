import { EXPORT_FORMATS, EXPORTED } from '../../base/transfer/exported.js';
import type { JsonSchema } from '../openapi/json-schema.js';
import { type ExportRoute, exportRoutes } from './routes.js';

const ABOUT_EXPORTS =
  'CSV or NDJSON, compressed if the request accepts gzip. Events are exported up to the latest one at the start. Standings are in ranking order, production before test; players who change during the export are written again at the end, and the last line of a player (or of a run, on boards that rank every run) is the valid one. The last line is a trailer with the sequence number and the number of lines; a response without it is incomplete. An account can have four exports open at a time per process; more get 429. For administrators.';

const ABOUT_FORMATS =
  'The format. `spreadsheet` is CSV for Excel and similar programs: text starting with `=`, `+`, `-`, `@`, a tab or a carriage return is prefixed with an apostrophe, so that it is not run as a formula. The column `cells_marked` and the trailer record this, and an import removes the apostrophes.';

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
const PREFIX = { board: 'brd', game: 'gam', account: 'acc', identity: 'ide' };

const ABOUT_PLAYER =
  'NDJSON, compressed if the request accepts gzip, with one line per record and its kind as `record`: the player, their devices and sessions, flags with reviews, audit entries, stored responses, and for each board their state, rulings, scores and events. The last line is a trailer with the number of lines; a response without it is incomplete. An account can have four exports open at a time per process; more get 429. For administrators.';

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

function describedRoute({ kind, group, operationId, summary, parameter }: ExportRoute, headers: JsonSchema) {
  const ofPlayer = kind === 'identity';
  const errors = [...(kind === 'board' ? [400] : []), 401, 403, 404, 422, 429, 500, 503];
  return {
    get: {
      operationId,
      tags: [group],
      summary,
      description: ofPlayer ? ABOUT_PLAYER : ABOUT_EXPORTS,
      security: [{ apiKey: [] }],
      parameters: [
        {
          name: parameter,
          in: 'path',
          required: true,
          description: 'The id of the record.',
          schema: { type: 'string', examples: [`${PREFIX[kind]}_${EXAMPLE_ID}`] },
        },
        ...(ofPlayer
          ? []
          : [word('what', 'The kind of records.', EXPORTED), word('format', ABOUT_FORMATS, EXPORT_FORMATS)]),
        ...(kind === 'board' ? VIEW : []),
        ...(kind === 'account' ? [] : [accountParameter]),
      ],
      responses: {
        200: {
          description: 'Done.',
          headers,
          content: ofPlayer
            ? { 'application/x-ndjson': linesLike(PLAYER_EXAMPLE) }
            : {
                'text/csv': linesLike(EXPORT_EXAMPLES.csv),
                'application/x-ndjson': linesLike(EXPORT_EXAMPLES.ndjson),
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
