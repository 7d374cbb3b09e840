import { readFileSync } from 'node:fs';
import path from 'node:path';
import { isInputObjectType, isObjectType } from 'graphql';
import { RUN_TEMPLATES } from '../../src/boards/templates/run.js';
import { EVENT_NAMES } from '../../src/webhooks/events/event-types.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { makeGame, makeStudio, makeTemplate, type Studio } from '../support/make.js';

// A new field of a record has places where it is forgotten in silence: the console's forms, what visitors see of a board, and the
// boards that a template makes. Here each field is handled in those places, or left out for a reason.

let app: TestApp;
let studio: Studio;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
});
afterAll(() => app.close());

/** Fields of a type of the schema, in alphabetical order. */
function fieldsOf(name: string): string[] {
  const type = app.app.schema.getType(name);
  if (!isObjectType(type) && !isInputObjectType(type)) throw new Error(`no such type: ${name}`);
  return Object.keys(type.getFields()).toSorted();
}

const CONSOLE = path.resolve(__dirname, '../../web/console');

/** The text of a file of the console and of all those that it imports below `screens` and `parts`. */
function formText(file: string, seen = new Set<string>()): string {
  if (seen.has(file)) return '';
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  const imported = [...text.matchAll(/from '(\.{1,2}\/[^']+)\.js'/g)].map(([, name]) =>
    ['.tsx', '.ts'].map((ending) => path.resolve(path.dirname(file), name! + ending)),
  );
  const found = imported.flat().filter((name) => /\/(screens|parts)\//.test(name) && isFile(name));
  return [text, ...found.map((name) => formText(name, seen))].join('\n');
}

function isFile(name: string): boolean {
  try {
    readFileSync(name);
    return true;
  } catch {
    return false;
  }
}

/** The forms that create and change each record, and fields that none of them has, with the reason. */
const FORMS: [record: string, forms: string[], leftOut: Record<string, string>][] = [
  [
    'Board',
    ['boards/new-board.tsx', 'board/settings.tsx'],
    {
      createdFromTemplateId: 'the template job sets it',
      friendsFrom: 'for game servers, which keep the lists of friends',
      icon: 'a name of an icon font for game clients: no page shows it',
      templateName: 'the template job sets it',
    },
  ],
  [
    'BoardTemplate',
    ['boards/new-board.tsx', 'templates/template.tsx'],
    {
      config: 'free-form settings of the deployment’s hooks',
      friendsFrom: 'for game servers, which keep the lists of friends',
    },
  ],
  [
    'Game',
    ['games/games.tsx', 'games/game-settings.tsx', 'fair-play/fair-play.tsx', 'providers/providers.tsx'],
    {},
  ],
];

test.each(FORMS)('the forms of a %s have every field that can be set', (record, forms, leftOut) => {
  // What a copy takes over is no field that a person sets.
  const copy = path.join(CONSOLE, 'screens/boards/copy.ts');
  const text = forms.map((form) => formText(path.join(CONSOLE, 'screens', form), new Set([copy]))).join('\n');
  const fields = new Set([...fieldsOf(`Create${record}Input`), ...fieldsOf(`Update${record}Input`)]);
  // Every form of a record that can be restored deletes it by the same dialog.
  fields.delete('deleted');
  const missing = [...fields].filter((field) => !new RegExp(`\\b${field}\\b`).test(text));
  expect(missing.toSorted()).toEqual(Object.keys(leftOut).toSorted());
});

test('the form of a webhook endpoint and the guide have every event', () => {
  const pages = ['web/console/screens/webhooks/endpoint-fields.tsx', 'docs/guides/webhooks.md'];
  for (const page of pages) {
    const text = readFileSync(path.resolve(__dirname, '../..', page), 'utf8');
    expect([page, EVENT_NAMES.filter((name) => !text.includes(name))]).toEqual([page, []]);
  }
});

const NOT_PUBLIC: Record<string, string> = {
  account: 'a record of the studio',
  accountId: 'a record of the studio',
  activity: 'figures of the studio',
  history: 'figures of the studio',
  closingRules: 'how the studio closes it',
  closings: 'reads of administrators',
  createdAt: 'when the studio prepared it',
  createdFromTemplate: 'a record of the studio',
  createdFromTemplateId: 'a record of the studio',
  dayStart: 'the periods of its views say it',
  dimensions: 'groups of its views say it',
  friendsFrom: 'for game clients',
  gameId: '`game` has it',
  heldRuns: 'of the session’s own player',
  holdHours: 'how the studio moderates',
  holdTop: 'how the studio moderates',
  id: 'as `boardId`: caches keep a board and what is public of it apart',
  isPublished: 'only published boards are public',
  ratioConfig: 'names boards that may be private',
  nextClosings: 'the studio’s calendar; the page says when its ranking closes',
  rehearsalOf: 'a copy that only administrators see',
  rehearsalOfId: 'a copy that only administrators see',
  scoreEvents: 'reads of administrators',
  scoreFlags: 'reads of administrators',
  scoreImports: 'reads of administrators',
  attempts: 'of the session’s own player',
  scores: 'records; `ranking` has their entries',
  seriesNumber: 'in the name where the studio wants it',
  states: 'reads of administrators',
  submissionRecords: 'reads of administrators',
  templateName: 'a record of the studio',
  ticketFigures: 'figures of the studio',
  tickets: 'for game clients',
  recordings: 'for game clients',
  verdicts: 'how the studio works; its entries say which ones were verified',
  tiePolicy: 'the ranks of its entries follow it',
  timeZone: 'the periods of its views say it',
  updatedAt: 'when the studio changed it',
  verdictFigures: 'figures of the studio',
  verificationPasses: 'work of the studio',
  weekStart: 'the periods of its views say it',
};

test('visitors see every field of a board, but for those that are the studio’s', () => {
  const visible = fieldsOf('PublicBoard');
  expect(fieldsOf('Board').filter((field) => !visible.includes(field))).toEqual(
    Object.keys(NOT_PUBLIC).toSorted(),
  );
});

const PRIZE = {
  ...{ name: 'top', firstRank: 1, lastRank: 3, percent: null, reached: null, title: 'Top 3' },
  ...{ pictureUrl: 'https://example.com/top.png', grant: { coins: 5 } },
};

/** A value for each field that a template hands on to its boards, none of them the default. */
const GIVEN: Data = {
  boardType: 'RUN_IDENTITY',
  closingRules: [
    {
      ...{ view: null, settleMinutes: 30, reviewTop: 3, reviewHours: 24, places: 5 },
      prizes: { minimumEntries: 2, ties: 'ALL', tieLimit: 7, expiresDays: 30, lines: [PRIZE] },
    },
  ],
  dayStart: '04:00',
  defaultView: 'by_class',
  dimensions: [{ name: 'class', source: 'SUBMISSION', setBy: 'CLIENT', values: ['mage', 'rogue'] }],
  format: { kind: 'TIME', decimals: 1, timeUnit: 'MILLISECONDS' },
  friendsFrom: 'SERVER',
  holdHours: null,
  holdTop: 3,
  icon: 'fa-bolt',
  isPublished: false,
  keepStrategy: 'LAST',
  proof: 'REQUIRED',
  publicFields: ['COUNTRY'],
  recordings: {
    ...{ keepTop: 10, keepBest: true, demandTop: 3, demandFlagged: true, maxBytes: 4_096 },
    readers: 'PUBLIC',
    watchUrl: 'https://studio.example.com/watch?run={recording}',
  },
  sortDirection: 'ASC',
  tags: ['weekly'],
  tickets: {
    ...{
      mode: 'REQUIRED',
      seed: 'PERIOD',
      view: 'daily',
      attempts: 3,
      advance: 2,
      hours: 1,
      content: 'map 2',
    },
    clock: { minSeconds: 2.5, maxPerSecond: 100, slackSeconds: 3, pauses: true },
  },
  tiePolicy: 'COMPETITION',
  timeZone: 'Europe/Berlin',
  unit: 'points',
  verdicts: { mode: 'HOLD', verifyTop: 3, hours: 2, confirmed: true },
  views: [
    { name: 'by_class', by: ['class'], period: null },
    { name: 'daily', by: [], period: 'DAY' },
  ],
  weekStart: 'SUNDAY',
};
/** `isActive` of a template is its own; the others are of one window. */
const OWN = ['accountId', 'endsAt', 'gameId', 'isActive', 'name', 'slug', 'startsAt'];

test('a board has from its template every field that both have', async () => {
  const both = fieldsOf('CreateBoardTemplateInput').filter((field) =>
    fieldsOf('CreateBoardInput').includes(field),
  );
  expect(both.filter((field) => !OWN.includes(field))).toEqual(Object.keys(GIVEN));

  const game = await makeGame(studio);
  const nextRunAt = new Date(app.clock.now() + DAY).toISOString();
  const template = await makeTemplate(studio, game.id, { ...GIVEN, nextRunAt });
  app.clock.advance(DAY);
  await app.app.jobs.run(RUN_TEMPLATES);
  const selected = Object.keys(GIVEN).map(
    (field) =>
      ({
        closingRules:
          'closingRules { view settleMinutes reviewTop reviewHours places prizes { minimumEntries ties tieLimit expiresDays lines { name firstRank lastRank percent reached title pictureUrl grant } } }',
        dimensions: 'dimensions { name source setBy values }',
        format: 'format { kind decimals timeUnit }',
        verdicts: 'verdicts { mode verifyTop hours confirmed }',
        recordings: 'recordings { keepTop keepBest demandTop demandFlagged maxBytes readers watchUrl }',
        tickets:
          'tickets { mode seed view attempts advance hours content clock { minSeconds maxPerSecond slackSeconds pauses } }',
        views: 'views { name by period }',
      })[field] ?? field,
  );
  const { boardTemplate } = await studio.admin.data(
    `query ($id: ID!) { boardTemplate(id: $id) { boards { nodes { ${selected.join(' ')} } } } }`,
    { id: template.id },
  );
  expect(boardTemplate.boards.nodes).toEqual([GIVEN]);
});
