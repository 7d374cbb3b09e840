import type { Defaults } from './defaults.js';
import { FILTERS, fileName, type Kind, referenceOf, SHAPES, type Values } from './fields.js';

interface JsonSchema {
  [keyword: string]: unknown;
  type?: string | string[];
  enum?: unknown[];
  description?: string;
  properties?: Record<string, JsonSchema>;
}

interface OpenApiSchemas {
  components: { schemas: Record<string, JsonSchema> };
}

/** Keywords of OpenAPI's fields that make no sense in a file. */
const DROPPED = new Set(['examples', 'format']);

/** Pattern of a day or a time. */
const MOMENT = '^(19[7-9]\\d|[2-9]\\d{3})-\\d\\d-\\d\\d([Tt ]\\d\\d:\\d\\d.*)?$';

/** Pattern of an address, or of the environment variable that has it. */
const ADDRESS = '^(https?://.+|\\$\\{[A-Za-z_][A-Za-z0-9_]*\\})$';

const RENAMED =
  'Its previous name. The record with this name is renamed, unless a record already has the new name. You can leave this line in the file.';

const NAMES: Record<'board' | 'template', string> = {
  board: 'Slug or name of a board of this game in this file.',
  template: 'Name of a template of this game in this file.',
};

const ADDRESS_TEXT =
  `Where requests are sent: \`https://…\`, or an environment variable that has it, ` +
  `\`\${NAME}\`. If that is not set, a stored address is kept. Addresses of chats and those with a query are ` +
  `secrets, so they must be in a variable.`;

const PAUSED_TEXT =
  'True keeps deliveries until it is resumed; false resumes it. If absent, it is left unchanged.';

const reference = (description: string): JsonSchema => ({ type: 'string', minLength: 1, description });

/** Items of a webhook's filters. */
const ITEMS: Record<'games' | 'boards', JsonSchema> = {
  games: reference('Slug or name of a game of this file.'),
  boards: {
    type: 'object',
    required: ['game', 'board'],
    additionalProperties: false,
    properties: {
      game: reference('Slug or name of a game of this file.'),
      board: reference('Slug or name of a board of that game in this file.'),
    },
  },
};

const nullable = (type: string): string[] => [type, 'null'];

/** The schema without these keywords, at any depth; a member of that name is an object, and stays. */
function withoutDropped(schema: JsonSchema): JsonSchema {
  const parts = Object.entries(schema).filter(([keyword, value]) => !DROPPED.has(keyword) || isSchema(value));
  return Object.fromEntries(
    parts.map(([keyword, value]) => [keyword, isSchema(value) ? withoutDropped(value) : value]),
  );
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const SHARED = '#/components/schemas/';

/** The schema with the document's shared objects in their places; a file has no other members than theirs. */
function inlined(schemas: Record<string, JsonSchema>, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((part) => inlined(schemas, part));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { $ref, ...own } = schema as JsonSchema & { $ref?: string };
  const parts = Object.entries(own).map(([keyword, value]) => [keyword, inlined(schemas, value)]);
  if (!$ref?.startsWith(SHARED)) return Object.fromEntries(parts);
  const shared = inlined(schemas, schemas[$ref.slice(SHARED.length)]) as JsonSchema;
  return { additionalProperties: false, ...shared, ...Object.fromEntries(parts) };
}

/** A field in the file: ids are names of records, and dates are allowed as times. */
function fieldSchema(
  kind: Kind | 'ratio',
  name: string,
  schema: JsonSchema,
  required: boolean,
  defaultFor: Defaults,
): JsonSchema {
  const type = required ? 'string' : nullable('string');
  const other = referenceOf(name);
  if (other) return { type, minLength: 1, description: `${schema.description} ${NAMES[other]}` };
  if (schema.format === 'date-time') {
    return {
      type,
      pattern: MOMENT,
      description: `${schema.description} A date without a time means 00:00 UTC.`,
    };
  }
  if (kind === 'webhook' && name === 'url') return { type, pattern: ADDRESS, description: ADDRESS_TEXT };
  const preset = defaultFor(kind, name);
  const first = preset !== undefined && { default: preset };
  return { ...withoutDropped(schema), ...first };
}

/** The fields of the API's inputs for new and for changed records, but for those that a file has not. */
function fieldsOf(
  { components: { schemas } }: OpenApiSchemas,
  kind: Kind | 'ratio',
  defaultFor: Defaults,
): Record<string, JsonSchema> {
  const { type, required, leftOut } = SHAPES[kind];
  const inputs =
    kind === 'ratio' ? [`Update${type}`, `Create${type}`] : [`Update${type}Body`, `Create${type}Body`];
  const fields: Record<string, JsonSchema> = Object.assign(
    {},
    ...inputs.map((input) => schemas[input]!.properties!),
  );
  const kept = Object.entries(fields).filter(([name]) => !(name in leftOut));
  return Object.fromEntries(
    kept.map(([name, schema]) => {
      const field = fileName(name);
      const whole = inlined(schemas, schema) as JsonSchema;
      const own = fieldSchema(kind, field, whole, required.includes(field), defaultFor);
      return [field, name in FILTERS ? { ...own, items: ITEMS[FILTERS[name]!] } : own];
    }),
  );
}

function recordSchema(description: string, required: string[], properties: Values): JsonSchema {
  return {
    type: 'object',
    description,
    required,
    additionalProperties: false,
    properties: properties as Record<string, JsonSchema>,
  };
}

function listOf(record: string, description: string): JsonSchema {
  return { type: nullable('array'), items: { $ref: `#/definitions/${record}` }, description };
}

const renamed: JsonSchema = { type: 'string', minLength: 1, description: RENAMED };

/**
 * The JSON Schema of a configuration file, for editors and for the terminal, from the OpenAPI document.
 * @param defaultFor see `defaultsIn`
 * @param events that a webhook can ask for
 */
export function configurationSchema(
  openapi: OpenApiSchemas,
  defaultFor: Defaults,
  events: readonly string[],
): JsonSchema {
  const [game, board, template, ratio, webhook] = (
    ['game', 'board', 'template', 'ratio', 'webhook'] as const
  ).map((kind) => fieldsOf(openapi, kind, defaultFor));
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Leaderboards of an account',
    description: 'Games, boards, templates and webhooks, for "leaderboard plan" and "leaderboard apply".',
    type: 'object',
    required: ['games'],
    additionalProperties: false,
    properties: {
      games: {
        type: 'array',
        items: { $ref: '#/definitions/game' },
        description: 'The games of the account.',
      },
      webhooks: listOf('webhook', 'The webhooks of the account. If absent, they are left unchanged.'),
    },
    definitions: {
      game: recordSchema('A game.', SHAPES.game.required, {
        ...game,
        renamed_from: renamed,
        boards: listOf(
          'board',
          'Its boards, except those created by templates. If absent, they are left unchanged.',
        ),
        templates: listOf('template', 'Its templates. If absent, they are left unchanged.'),
      }),
      board: recordSchema('A board.', SHAPES.board.required, {
        ...board,
        ratio_config: {
          anyOf: [{ $ref: '#/definitions/ratio_config' }, { type: 'null' }],
          description: board!.ratio_config!.description,
        },
        renamed_from: renamed,
      }),
      template: recordSchema('A template, which creates boards on a schedule.', SHAPES.template.required, {
        ...template,
        next_run_at: {
          ...template!.next_run_at,
          description:
            'Start of any of its windows; for a new template, of the next one. An existing template only moves if ' +
            'its windows would start at other times, or later.',
        },
        renamed_from: renamed,
      }),
      webhook: recordSchema('A webhook: an address that is told of events.', SHAPES.webhook.required, {
        ...webhook,
        events: { ...webhook!.events, items: { type: 'string', enum: events } },
        paused: { ...webhook!.paused, description: PAUSED_TEXT },
        renamed_from: renamed,
      }),
      ratio_config: recordSchema('Rules of a ratio board.', SHAPES.ratio.required, ratio!),
    },
  };
}
