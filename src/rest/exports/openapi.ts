import { EXPORT_FORMATS, EXPORTED } from '../../base/exported.js';
import type { JsonSchema } from '../openapi/json-schema.js';
import { type ExportRoute, exportRoutes } from './routes.js';

const ABOUT_EXPORTS =
  'Text in CSV or NDJSON, compressed where the request accepts gzip. Events are those up to the newest one at the start. Standings come in the order of the ranking, production before test; players who changed meanwhile are written again at the end, and the last line of a player (of a run, where every run counts) holds. The last line is a trailer with the number of the sequence that it belongs to and the count of lines: an answer without it is incomplete. Two exports run at a time in a process; others get 503. For administrators.';

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

const EXAMPLE_ID = '01976d7e-5a3f-7c3b-9d0a-3f2c5d9e8b11';
const PREFIX = { board: 'brd', game: 'gam', account: 'acc' };

const content = (type: 'csv' | 'ndjson') => ({
  schema: { type: 'string', description: 'The lines.', examples: [EXPORT_EXAMPLES[type]] },
});

const accountParameter: JsonSchema = {
  name: 'account_id',
  in: 'query',
  required: false,
  allowEmptyValue: true,
  description: 'The account of the record: 403 where it is of another one.',
  schema: { type: 'string', examples: [`acc_${EXAMPLE_ID}`] },
};

function describedRoute({ kind, group, operationId, summary, parameter }: ExportRoute, headers: JsonSchema) {
  const errors = [401, 403, 404, 422, 429, 500, 503];
  return {
    get: {
      operationId,
      tags: [group],
      summary,
      description: ABOUT_EXPORTS,
      security: [{ apiKey: [] }],
      parameters: [
        {
          name: parameter,
          in: 'path',
          required: true,
          description: 'The id of the record.',
          schema: { type: 'string', examples: [`${PREFIX[kind]}_${EXAMPLE_ID}`] },
        },
        word('what', 'The kind of records.', EXPORTED),
        word('format', 'The format of the lines.', EXPORT_FORMATS),
        ...(kind === 'account' ? [] : [accountParameter]),
      ],
      responses: {
        200: {
          description: 'Done.',
          headers,
          content: { 'text/csv': content('csv'), 'application/x-ndjson': content('ndjson') },
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
