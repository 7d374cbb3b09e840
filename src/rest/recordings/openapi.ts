import { DOWNLOAD_PATH, RECORDING_TYPE, UPLOAD_PATH } from './routes.js';

/** Of any of its parts. */
type JsonSchema = Record<string, unknown>;

const EXAMPLE_ID = '01976d7e-5a3f-7c3b-9d0a-3f2c5d9e8b11';
const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

const EVENT = {
  name: 'event_id',
  in: 'path',
  required: true,
  description: 'The id of the event.',
  schema: { type: 'string', examples: [`sev_${EXAMPLE_ID}`] },
};

const errorsOf = (statuses: number[]): JsonSchema =>
  Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]));

const query = (name: string, description: string, schema: JsonSchema): JsonSchema => ({
  name,
  in: 'query',
  required: true,
  description,
  schema,
});

const FILE = { schema: { type: 'string', format: 'binary', description: 'The file.' } };

const STORED = {
  type: 'object',
  required: ['score_event_id', 'hash', 'bytes'],
  properties: {
    score_event_id: { type: 'string', description: 'The event.', examples: [`sev_${EXAMPLE_ID}`] },
    hash: { type: 'string', description: 'SHA-256 of the file, 64 hexadecimal digits.', examples: [HASH] },
    bytes: { type: 'integer', description: 'Its size.', examples: [4_211] },
  },
};

const ABOUT_UPLOAD =
  'The body is the file itself, as long as `content-length` says, without `content-encoding`. Its SHA-256 must be the ' +
  '`recording_hash` of the submission: another file is 422, and the request can be repeated with the same nonce. It is wanted ' +
  'if the response to the submission has `recording`; 400 `RECORDING_NOT_WANTED` is final. The same file again is 200. A device ' +
  'sends one recording at a time. Game clients only, for runs of their own player.';

const ABOUT_DOWNLOAD =
  'The address is that of `recording` of a score event or a ghost, which is valid for ten minutes, for whoever has it. The service ' +
  'never looks into the file.';

/** Paths of recordings in the OpenAPI document. @param nonceHeader its name, e.g. `service-client-nonce` */
export function recordingPaths(headers: JsonSchema, nonceHeader: string): Record<string, JsonSchema> {
  const tags = ['Score events'];
  return {
    [UPLOAD_PATH]: {
      put: {
        operationId: 'storeRecording',
        summary: 'Stores the recording of a run.',
        description: ABOUT_UPLOAD,
        tags,
        security: [{ accessToken: [] }],
        parameters: [
          EVENT,
          {
            ...{ name: nonceHeader, in: 'header', required: true, description: 'A nonce.' },
            schema: { type: 'string' },
          },
        ],
        requestBody: { required: true, content: { [RECORDING_TYPE]: FILE } },
        responses: {
          200: { description: 'It is stored.', headers, content: { 'application/json': { schema: STORED } } },
          ...errorsOf([400, 401, 403, 404, 412, 413, 415, 422, 429, 500, 503]),
        },
      },
    },
    [DOWNLOAD_PATH]: {
      get: {
        operationId: 'getRecording',
        summary: 'The recording of a run.',
        description: ABOUT_DOWNLOAD,
        tags,
        security: [],
        parameters: [
          EVENT,
          query('until', 'When the address ends, in seconds since 1970.', {
            type: 'string',
            examples: ['1780000000'],
          }),
          query('signature', 'Signature of the address.', {
            type: 'string',
            examples: ['mDlyzL9fG2qkQ1s0Zs8hXA'],
          }),
        ],
        responses: {
          200: { description: 'The file.', headers, content: { [RECORDING_TYPE]: FILE } },
          304: { description: 'The caller has it already (`if-none-match`).', headers },
          ...errorsOf([404, 422, 429, 500, 503]),
        },
      },
    },
  };
}
