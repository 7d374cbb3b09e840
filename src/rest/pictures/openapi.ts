import { ANY_PICTURE, LARGEST_PICTURE_BYTES, LONGEST_PICTURE_SIDE } from '../../base/pictures/picture.js';
import { PICTURE_KINDS, type PictureKind } from '../../base/pictures/stored.js';
import type { JsonSchema } from '../openapi/json-schema.js';
import { forAdministrators } from '../openapi/operation.js';
import { PICTURE_RIGHT } from './routes.js';

const EXAMPLE_ID = '01976d7e-5a3f-7c3b-9d0a-3f2c5d9e8b11';

const PARAMETERS = [
  {
    name: 'game_id',
    in: 'path',
    required: true,
    description: 'The id of the game.',
    schema: { type: 'string', examples: [`gam_${EXAMPLE_ID}`] },
  },
  {
    name: 'account_id',
    in: 'query',
    required: false,
    allowEmptyValue: true,
    description: 'The account of the record. Returns 403 if it belongs to another one.',
    schema: { type: 'string', examples: [`acc_${EXAMPLE_ID}`] },
  },
];

const ABOUT: Record<PictureKind, string> = {
  logo: 'beside its name on public pages',
  cover: 'behind its name on public pages',
};

const kibibytes = LARGEST_PICTURE_BYTES / 1_024;

const FOR_ADMINISTRATORS = forAdministrators([PICTURE_RIGHT]);

const ABOUT_UPLOAD =
  `The body is the file itself, PNG, JPEG or WebP, up to ${kibibytes} KiB and ` +
  `${LONGEST_PICTURE_SIDE.toLocaleString('en')} pixels wide and high. The \`content-type\` is the picture's own ` +
  `(\`image/png\`), or \`${ANY_PICTURE}\`: its first bytes then tell its type. It is checked from its first byte ` +
  `to its last before it is stored: a file that is broken, animated, followed by other bytes, or of another type ` +
  `is 422. It replaces the picture before. ${FOR_ADMINISTRATORS}`;

function errorsOf(statuses: number[]): JsonSchema {
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
  );
}

function describedPicture(kind: PictureKind, headers: JsonSchema) {
  const name = `${kind[0]!.toUpperCase()}${kind.slice(1)}`;
  const shared = { tags: ['Games'], security: [{ apiKey: [] }], parameters: PARAMETERS };
  const answer = {
    description: 'The game.',
    headers,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Game' } } },
  };
  const file = { schema: { type: 'string', format: 'binary', description: 'The file.' } };
  return {
    put: {
      operationId: `setGame${name}`,
      summary: `Sets the ${kind} of a game, ${ABOUT[kind]}.`,
      description: ABOUT_UPLOAD,
      ...shared,
      requestBody: {
        required: true,
        // Generators of clients leave out operations whose bodies have only media types of pictures.
        content: { [ANY_PICTURE]: file },
      },
      responses: { 200: answer, ...errorsOf([400, 401, 403, 404, 413, 415, 422, 429, 500, 503]) },
    },
    delete: {
      operationId: `removeGame${name}`,
      summary: `Removes the ${kind} of a game.`,
      description: `Does nothing if there is none. ${FOR_ADMINISTRATORS}`,
      ...shared,
      responses: { 200: answer, ...errorsOf([401, 403, 404, 422, 429, 500, 503]) },
    },
  };
}

/** Paths of games' pictures in the OpenAPI document. */
export function picturePaths(headers: JsonSchema): Record<string, JsonSchema> {
  return Object.fromEntries(
    PICTURE_KINDS.map((kind) => [`/v1/games/{game_id}/${kind}`, describedPicture(kind, headers)]),
  );
}
