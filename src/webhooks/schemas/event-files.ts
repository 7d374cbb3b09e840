import { EVENT_TYPES, TEST_EVENT } from '../events/event-types.js';
import { DATA_SHAPES } from './data-shapes.js';
import { id, type JsonShape, moment, object, typeOf, wholeNumber, yesNo } from './json-shape.js';

/** The members around `data`, in every event; `board_id` and `is_test` where the event has them. */
const ENVELOPE = {
  id: id('dlv', 'Of this delivery: the same at every attempt. Ignore an id that you have seen.'),
  version: { const: 1, description: 'Of the schema.' },
  timestamp: moment('When it happened.'),
  account_id: id('acc'),
  game_id: id('gam'),
  board_id: id('brd'),
  is_test: yesNo('The population. Absent where an event is about none.'),
  epoch: {
    type: 'string',
    format: 'uuid',
    description: 'Another one after a restore, when numbers are used again.',
  },
  number: wholeNumber('1, 2, 3 … of this endpoint and board in one epoch. Only for endpoints with an order.'),
};
const OPTIONAL = ['game_id', 'board_id', 'is_test', 'number'];

const TYPES: Record<string, string> = { ...EVENT_TYPES, [TEST_EVENT]: 'A test, sent on request.' };

function schemaOf(type: string): JsonShape {
  const { id: own, ...around } = ENVELOPE;
  const members = { id: own, type: { const: type }, ...around, data: DATA_SHAPES[type as typeof TEST_EVENT] };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: type,
    ...object(members, OPTIONAL, TYPES[type]),
  };
}

const HEAD = `// Printed by "npm run contract" from src/webhooks/schemas.

/** An event as the request to a webhook endpoint has it. */
`;

/** The schemas of events, and the types of the TypeScript client. */
export function eventFiles(): { name: string; text: string }[] {
  const types = Object.keys(TYPES);
  const schemas = types.map((type) => ({
    name: `schema/webhooks/${type}.json`,
    text: `${JSON.stringify(schemaOf(type), null, 2)}\n`,
  }));
  const members = types.map((type) => `  | ${typeOf(schemaOf(type))}`);
  const text = `${HEAD}export type WebhookEvent =\n${members.join('\n')};\n\nexport type WebhookEventType = WebhookEvent['type'];\n`;
  return [...schemas, { name: 'clients/typescript/src/generated/webhooks.ts', text }];
}
