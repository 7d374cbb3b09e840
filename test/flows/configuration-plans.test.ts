import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { quick } from '../support/lane.js';
import {
  makeBoard,
  makeGame,
  makeKey,
  makeStudio,
  makeTemplate,
  makeUser,
  type Studio,
} from '../support/make.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const PLAN = '/v1/configuration/plan';
const APPLY = '/v1/configuration/apply';

const bodyOf = ({ accountId }: Studio, file: Data, more: Data = {}) => ({
  account_id: accountId,
  file,
  ...more,
});

async function plan(studio: Studio, file: Data, more: Data = {}): Promise<Data> {
  const { status, body } = await studio.admin.post(PLAN, bodyOf(studio, file, more));
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

/** Applies a file to its end. @returns the number of changes */
async function applied(studio: Studio, file: Data, more: Data = {}): Promise<number> {
  const { changes, refusals, digest } = await plan(studio, file, more);
  expect(refusals).toEqual([]);
  let [next, made, left] = [digest, 0, changes.length];
  while (left > 0) {
    const { status, body } = await studio.admin.post(APPLY, bodyOf(studio, file, { ...more, digest: next }));
    expect({ status, body }).toMatchObject({ status: 200 });
    made += body.ids.length;
    ({ left, digest: next } = body);
  }
  expect(made).toBe(changes.length);
  return made;
}

async function printed(studio: Studio, query = ''): Promise<Data> {
  const { status, body } = await studio.admin.get(`/v1/accounts/${studio.accountId}/configuration${query}`);
  expect({ status, body }).toMatchObject({ status: 200 });
  return body;
}

const FILE = {
  games: [
    {
      name: 'Sky Race',
      slug: 'sky-race',
      accent_colour: '#2A56C6',
      environment: 'staging',
      overlay_origins: ['https://Stream.example.com/', 'https://stream.example.com'],
      default_board: 'High score',
      anti_cheat_settings: { rate_limit: { b: 60, c: 'off' } },
      boards: [
        {
          ...{
            name: 'High score',
            keep_strategy: 'best',
            tags: [' main '],
            time_zone: 'Europe/Berlin',
          },
          dimensions: [{ name: 'class', values: ['mage', 'rogue'] }],
          views: [
            { name: 'weekly', period: 'week', keep_periods: 12 },
            { name: 'class', by: ['class'] },
            {
              name: 'season',
              seasons: [
                {
                  name: 'one',
                  starts_at: '2099-01-01T00:00:00Z',
                  ends_at: '2099-04-01 02:00+02:00',
                },
              ],
            },
            { name: 'days', every: { every: 3, from: '2026-01-05' } },
          ],
          closing_rules: [
            {
              view: 'weekly',
              prizes: {
                ties: 'share',
                lines: [
                  {
                    name: 'gold',
                    first_rank: 1,
                    title: 'Gold',
                    grant: { coinsMany: 100, items: ['crown'], none: [], no: null },
                  },
                  { name: 'tenth', percent: 10, title: 'Upper tenth' },
                ],
              },
            },
          ],
        },
        {
          name: 'Kills',
          board_type: 'counter',
          icon: null,
          format: { kind: 'time', decimals: 1 },
        },
        {
          name: 'Deaths',
          board_type: 'counter',
          is_published: false,
          hold_hours: null,
        },
        {
          ...{ name: 'Rate', short_code: 'rate1', board_type: 'ratio' },
          ratio_config: {
            numerator_board: 'kills',
            denominator_board: 'Deaths',
            decimals: 1,
          },
        },
        {
          ...{
            name: 'Over',
            starts_at: '2026-01-01',
            ends_at: '2026-01-31T12:00:00+01:00',
          },
          created_from_template: 'Daily',
        },
      ],
      templates: [
        {
          ...{
            name: 'Daily',
            name_template: '{date}',
            repeat_interval: '1 day',
            next_run_at: '2099-01-01',
          },
          ...{
            config: { colourOfIt: 'red' },
            format: { kind: 'compact' },
            views: [{ name: 'country', by: ['country'] }],
          },
          closing_rules: [{ prizes: { lines: [{ name: 'all', title: 'For all' }] } }],
        },
      ],
    },
    { name: 'Empty', boards: [], templates: [] },
  ],
  webhooks: [
    {
      ...{
        name: 'Backend',
        url: 'https://api.example.com/hooks',
        events: ['score.flagged', 'board.closed'],
      },
      ...{
        games: ['Sky Race'],
        boards: [{ game: 'sky-race', board: 'Kills' }],
        ordered: true,
      },
    },
    {
      name: 'Chat',
      url: 'https://discord.com/api/webhooks/1/x',
      events: ['board.closed'],
      format: 'discord',
      paused: true,
    },
  ],
};

quick(
  'a file is planned, applied and planned empty; printed, it changes nothing here and makes the same elsewhere',
  async () => {
    const studio = await makeStudio(app);
    const first = await plan(studio, FILE);
    expect(first.changes.map(({ action, kind, name }: Data) => `${action} ${kind} ${name}`)).toEqual([
      'create game Sky Race',
      'create game Empty',
      'create template Sky Race / Daily',
      'create board Sky Race / High score',
      'create board Sky Race / Kills',
      'create board Sky Race / Deaths',
      'create board Sky Race / Over',
      'create board Sky Race / Rate',
      'update game Sky Race',
      'create webhook Backend',
      'create webhook Chat',
    ]);
    // It writes nothing.
    expect(await plan(studio, FILE)).toMatchObject({ digest: first.digest });
    expect(await applied(studio, FILE)).toBe(11);
    const { body: audit } = await studio.admin.get('/v1/audit-entries?limit=100');
    const created = audit.data.filter(({ action }: Data) => /_created$/.test(action));
    expect(created.length).toBeGreaterThanOrEqual(10);
    // The paused one was never active.
    const ofWebhooks = audit.data.filter(({ subject_id }: Data) => subject_id.startsWith('whk_'));
    const effects = ofWebhooks.map(({ action, after }: Data) => `${action} ${after.status}`);
    expect(effects.sort()).toEqual(['record_created active', 'record_created paused']);
    expect(await plan(studio, FILE, { prune: true })).toMatchObject({
      changes: [],
      not_in_file: [],
      refusals: [],
    });

    const { file, notes } = await printed(studio);
    expect(notes).toEqual([]);
    expect(await plan(studio, file, { prune: true })).toMatchObject({
      changes: [],
      refusals: [],
    });
    const other = await makeStudio(app);
    const { file: portable } = await printed(studio, '?is_portable=true');
    expect(JSON.stringify(portable)).not.toMatch(/short_code|"slug":"sky-race"/);
    portable.webhooks[1].url = 'https://discord.com/api/webhooks/1/x';
    await applied(other, portable);
    const { file: again } = await printed(other, '?is_portable=true');
    again.webhooks[1].url = portable.webhooks[1].url;
    expect(again).toEqual(portable);
  },
);

/** The refusals of a write, as a plan has them. @param at place of the record in the file */
function refusalsOf({ code, error, details }: Data, at: string[]): Data[] {
  if (!details) return [{ path: at, code, message: error }];
  return details.map(({ loc, msg }: Data) => ({
    path: [...at, ...loc.slice(1).map(String)],
    code,
    message: msg,
  }));
}

describe('a plan refuses what the write refuses, with its code and sentence', () => {
  let studio: Studio;
  let game: Data;
  beforeAll(async () => {
    studio = await makeStudio(app);
    game = await makeGame(studio, { name: 'Own' });
  });
  const at = (kind: string) => ['games', '0', kind, '0'];
  const refused = async (below: Data): Promise<Data[]> => {
    const { refusals, digest } = await plan(studio, {
      games: [{ name: 'Own', ...below }],
    });
    // Nor does it apply.
    const body = bodyOf(studio, { games: [{ name: 'Own', ...below }] }, { digest });
    expect(refusals).not.toEqual([]);
    expect((await studio.admin.post(APPLY, body)).body.code).toBe(refusals[0].code);
    return refusals;
  };

  const counter = { board_type: 'counter' };
  const kinds: [kind: 'boards' | 'templates', wrong: Data][] = [
    ['boards', { starts_at: '2026-03-02T00:00:00Z', ends_at: '2026-03-01T00:00:00Z' }],
    ['boards', { ...counter, keep_strategy: 'best' }],
    ['boards', { ...counter, hold_top: 3 }],
    ['boards', { format: { kind: 'number', time_unit: 'seconds' } }],
    ['boards', { board_type: 'ratio' }],
    ['boards', { slug: 'No Slug' }],
    ['boards', { views: [{ name: 'a' }] }],
    ['boards', { views: [{ name: 'a', by: ['guild'] }] }],
    [
      'boards',
      {
        views: [
          { name: 'a', period: 'week' },
          { name: 'a', period: 'day' },
        ],
      },
    ],
    ['boards', { closing_rules: [{ view: 'none' }] }],
    ['boards', { dimensions: [{ name: 'country' }] }],
    [
      'boards',
      {
        unit: '',
        icon: 5,
        ends_at: 'soon',
        short_code: 'A-1',
        sort_direction: 'up',
      },
    ],
    ['boards', { tags: 'one', hold_hours: 0, views: [{ name: 'a', period: 'century' }] }],
    ['templates', { ...counter, keep_strategy: 'last' }],
    ['templates', { board_type: 'ratio' }],
    ['templates', { name_template: '{moon}' }],
    ['templates', { repeat_interval: '1 moon' }],
    ['templates', { time_zone: 'Nowhere', slug: '-' }],
    ['templates', { views: [{ name: 'a', period: 'year' }] }],
    ['templates', { next_run_at: null, config: [] }],
  ];
  test.each(kinds)('new %s: %j', async (kind, wrong) => {
    const record = {
      name: 'New',
      ...(kind === 'templates' && {
        repeat_interval: '1 week',
        next_run_at: '2099-01-01T00:00:00Z',
      }),
      ...wrong,
    };
    const path = kind === 'boards' ? '/v1/boards' : '/v1/board-templates';
    const { body } = await studio.admin.post(path, {
      account_id: studio.accountId,
      game_id: game.id,
      ...record,
    });
    expect(await refused({ [kind]: [record] })).toEqual(refusalsOf(body, at(kind)));
  });

  test('changes of boards', async () => {
    const views = [{ name: 'a', period: 'WEEK' }];
    const kills = await makeBoard(studio, game.id, {
      name: 'Kills',
      boardType: 'COUNTER',
      views,
    });
    const runs = await makeBoard(studio, game.id, { name: 'Runs' });
    for (const [board, record] of [
      [kills, { board_type: 'run_runs' }],
      [kills, { ...counter, views: [{ name: 'a', period: 'day' }] }],
      [runs, counter],
    ] as const) {
      const { body } = await studio.admin.patch(`/v1/boards/${board.id}`, {
        keep_strategy: 'all',
        ...record,
      });
      const [refusal] = await refused({
        boards: [{ name: board.name, ...record }],
      });
      expect(refusal).toEqual({
        path: at('boards'),
        code: body.code,
        message: body.error,
      });
    }
    const ratio = (numerator: string, denominator: string) => ({
      ...{ name: 'Rate', board_type: 'ratio' },
      ratio_config: {
        numerator_board: numerator,
        denominator_board: denominator,
      },
    });
    const ids: Data = { Kills: kills.id, Runs: runs.id };
    for (const [one, other] of [
      ['Kills', 'Kills'],
      ['Runs', 'Kills'],
      ['Kills', 'Runs'],
    ] as const) {
      const { ratio_config: _names, ...record } = ratio(one, other);
      const config = {
        numerator_board_id: ids[one],
        denominator_board_id: ids[other],
      };
      const body = {
        account_id: studio.accountId,
        game_id: game.id,
        ...record,
        ratio_config: config,
      };
      const { body: answer } = await studio.admin.post('/v1/boards', body);
      const boards = [
        ratio(one, other),
        { name: 'Kills', ...counter, views: [{ name: 'a', period: 'week' }] },
        { name: 'Runs' },
      ];
      const place = [...at('boards'), 'ratio_config'];
      expect(await refused({ boards })).toEqual([{ path: place, code: answer.code, message: answer.error }]);
    }
  });

  test('games, webhooks, and what others have taken', async () => {
    const other = await makeStudio(app);
    const foreign = await makeGame(other);
    const board = await makeBoard(other, foreign.id);
    for (const wrong of [
      { accent_colour: 'red' },
      {
        anti_cheat_settings: { rate_limit: { d: 1 }, outlier_z: { a: 'none' } },
      },
      {
        page_url: 'x',
        overlay_origins: ['http://example.com'],
        environment: 'moon',
      },
      { slug: 'x' },
    ]) {
      const { body } = await studio.admin.post('/v1/games', {
        account_id: studio.accountId,
        name: 'New',
        ...wrong,
      });
      const { refusals } = await plan(studio, {
        games: [{ name: 'New', ...wrong }],
      });
      expect(refusals).toEqual(refusalsOf(body, ['games', '0']));
    }
    const slug = {
      path: ['games', '0', 'slug'],
      code: 'CONFLICT',
      message: 'Another game already uses this slug.',
    };
    expect((await plan(studio, { games: [{ name: 'New', slug: foreign.slug }] })).refusals).toEqual([slug]);
    const code = {
      code: 'CONFLICT',
      message: 'Another board already uses this short_code.',
    };
    expect(
      await refused({
        boards: [{ name: 'B', short_code: board.shortCode.toLowerCase() }],
      }),
    ).toEqual([{ path: [...at('boards'), 'short_code'], ...code }]);
    for (const wrong of [
      { url: 'http://example.com' },
      { url: 'example.com', events: [], population: 'none' },
      { format: 'discord', ordered: true },
    ]) {
      const webhook = {
        name: 'W',
        url: 'https://example.com',
        events: ['board.closed'],
        ...wrong,
      };
      const { body } = await studio.admin.post('/v1/webhook-endpoints', {
        account_id: studio.accountId,
        ...webhook,
      });
      const { refusals } = await plan(studio, {
        games: [],
        webhooks: [webhook],
      });
      expect(refusals).toEqual(refusalsOf(body, ['webhooks', '0']));
    }
  });

  test('names that are not in the file, twins, unknown fields and records that are not the stored ones', async () => {
    await makeBoard(studio, game.id, { name: 'Shared', slug: 'shared-a' });
    await makeBoard(studio, game.id, { name: 'Shared', slug: 'shared-b' });
    await makeTemplate(studio, game.id, { name: 'Twice' });
    await makeTemplate(studio, game.id, { name: 'Twice' });
    const every = { repeat_interval: '1 day', next_run_at: '2099-01-01' };
    const file = {
      colour: 'red',
      games: [
        {
          ...{ name: 'Own', default_board: 'X', default_board_id: 'brd_1' },
          boards: [
            { name: 'A', created_from_template: 'Y', id: 'brd_1' },
            {
              name: 'B',
              board_type: 'ratio',
              ratio_config: { numerator_board: 'Z', denominator_board: 3 },
            },
            { name: 'C', slug: 'c-1' },
            {
              name: 'D',
              slug: 'c-1',
              tag: 1,
              format: { kind: 'time', unit: 's' },
            },
            { name: 'C' },
            { name: 'Shared' },
            { name: 'Shared', slug: 'shared-c' },
            'E',
          ],
          templates: [
            { name: 'Twice', ...every },
            { name: 'T', ...every },
            { name: 'T', ...every, renamed_from: 5 },
          ],
        },
        { name: 'Own' },
      ],
      webhooks: [
        {
          name: 'W',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a file names an environment variable so
          url: '${URL_OF_CHAT}',
          events: ['board.closed'],
          games: ['Q'],
          boards: [{ game: 'Own', board: 'Q' }, 'Q'],
        },
      ],
    };
    const { refusals } = await plan(studio, file);
    expect(
      refusals.map(({ path, message }: Data) => `${path.join('.')} ${message}`).toSorted(),
    ).toMatchInlineSnapshot(`
     [
       "colour is not a known field",
       "games.0.boards.0.created_from_template names no template of this game in the file: "Y"",
       "games.0.boards.0.id is not a known field",
       "games.0.boards.1.ratio_config.denominator_board must be a string",
       "games.0.boards.1.ratio_config.numerator_board names no board of this game in the file: "Z"",
       "games.0.boards.3.format.unit is not a known field",
       "games.0.boards.3.slug Another active board of this game already uses this slug.",
       "games.0.boards.3.tag is not a known field",
       "games.0.boards.4.name must be unique in the file: another board has it",
       "games.0.boards.5.name is that of several boards. Add the slug, one of shared-a, shared-b",
       "games.0.boards.6.name must be unique in the file: another board has it",
       "games.0.boards.6.slug cannot be changed. Shared has the slug "shared-b"",
       "games.0.boards.7 must be a JSON object",
       "games.0.default_board names no board of this game in the file: "X"",
       "games.0.default_board_id is not a known field",
       "games.0.templates.0.name is that of several templates. Rename all but one",
       "games.0.templates.2.name must be unique in the file: another template has it",
       "games.0.templates.2.renamed_from must be a string",
       "games.1.name Another game of this account already uses this name.",
       "webhooks.0.boards.0.board names no board of the game "Own" in the file: "Q"",
       "webhooks.0.boards.1 must be a game and a board of it, by slug or name",
       "webhooks.0.games.0 names no game of the file: "Q"",
       "webhooks.0.url is that of a new webhook: set the environment variable URL_OF_CHAT to its address",
     ]
    `);
  });
});

quick(
  'a template moves only if its windows would start at other times by the clock of its zone, or later',
  async () => {
    const studio = await makeStudio(app);
    const file = (next: string, more: Data = {}) => ({
      games: [
        { name: 'G', templates: [{ name: 'T', repeat_interval: '2 days', next_run_at: next, ...more }] },
      ],
    });
    const moves = async (next: string, more: Data = {}) => {
      const { changes, refusals } = await plan(studio, file(next, more));
      return [...refusals, ...changes.flatMap(({ after }: Data) => after.next_run_at ?? [])];
    };
    // It is 12:00 on 1 January 2030.
    await applied(studio, file('2030-01-02'));
    expect([...(await moves('2030-01-02')), ...(await moves('2029-12-01'))]).toEqual([]);
    expect(await moves('2029-12-02')).toEqual(['2029-12-02T00:00:00.000Z']);
    expect(await moves('2030-01-04')).toEqual(['2030-01-04T00:00:00.000Z']);
    const weekly = { repeat_interval: '1 week', time_zone: 'Europe/Berlin' };
    await applied(studio, file('2030-01-06T23:00:00Z', weekly));
    // A Monday of summer.
    expect(await moves('2029-07-01T22:00:00Z', weekly)).toEqual([]);
    expect(await moves('2029-07-02 00:00+02:00', weekly)).toEqual([]);
    expect(await moves('2029-07-01T23:00:00Z', weekly)).toEqual(['2029-07-01T23:00:00.000Z']);
    // Another zone counts by its own clock.
    expect(await moves('2029-07-01T23:00:00Z', { ...weekly, time_zone: 'UTC' })).toEqual([]);
    // Windows that are in UTC until the template is saved.
    await app.database.knex('board_templates').update({ windows_from: null });
    expect(await moves('2029-07-01T23:00:00Z', weekly)).toEqual([]);
  },
);

quick(
  'a plan of another state is refused and changes nothing; a change in between ends an apply',
  async () => {
    const studio = await makeStudio(app);
    const file = {
      games: [{ name: 'One', boards: [{ name: 'A' }, { name: 'B' }] }],
    };
    const { digest } = await plan(studio, file);
    const game = await makeGame(studio, { name: 'Two' });
    const late = await studio.admin.post(APPLY, bodyOf(studio, file, { digest }));
    expect([late.status, late.body.code]).toEqual([409, 'CONFLICT']);
    expect((await studio.admin.get('/v1/games')).body.data.map(({ name }: Data) => name)).toEqual(['Two']);
    expect((await studio.admin.get('/v1/boards')).body.data).toEqual([]);

    // What a request cannot see makes the second of its changes fail: the first is made, and the next call has the refusal.
    const half = {
      games: [{ name: 'Two', boards: [{ name: 'A' }, { name: 'B' }] }],
    };
    const planned = await plan(studio, half);
    const refuse = `create function refuse_b() returns trigger language plpgsql as $$ begin if new.name = 'B' then raise sqlstate '57014'; end if; return new; end $$;
    create trigger refuse_b before insert on boards for each row execute function refuse_b()`;
    await app.database.knex.raw(refuse);
    const first = await studio.admin.post(APPLY, bodyOf(studio, half, { digest: planned.digest }));
    expect(first.body).toMatchObject({
      ids: [expect.stringMatching(/^brd_/)],
      left: 1,
    });
    const second = await studio.admin.post(APPLY, bodyOf(studio, half, { digest: first.body.digest }));
    expect(second.body.code).toBe('UNAVAILABLE');
    await app.database.knex.raw('drop trigger refuse_b on boards; drop function refuse_b()');
    await makeBoard(studio, game.id, { name: 'Other' });
    const changed = await studio.admin.post(APPLY, bodyOf(studio, half, { digest: first.body.digest }));
    expect(changed.body.code).toBe('CONFLICT');
    expect(await applied(studio, half)).toBe(1);
  },
);

quick('another value of a change that is left makes the next call a CONFLICT', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio, { name: 'G' });
  await makeBoard(studio, game.id, { name: 'Z' });
  const boards = [{ name: 'A' }, { name: 'B' }, { name: 'Z', hold_hours: 30 }];
  const file = { games: [{ name: 'G', boards }] };
  const { digest, changes } = await plan(studio, file);
  expect(changes).toHaveLength(3);
  // Somebody changes the last one while the first is made, and the second fails.
  await app.database.knex.raw(`
    create function meddle() returns trigger language plpgsql as $$ begin
      if new.name = 'B' then raise sqlstate '57014'; end if;
      update boards set hold_hours = 40 where name = 'Z' and game_id = new.game_id;
      return new; end $$;
    create trigger meddle before insert on boards for each row execute function meddle()`);
  const first = await studio.admin.post(APPLY, bodyOf(studio, file, { digest }));
  await app.database.knex.raw('drop trigger meddle on boards; drop function meddle()');
  expect(first.body).toMatchObject({ ids: [expect.stringMatching(/^brd_/)], left: 2 });
  const second = await studio.admin.post(APPLY, bodyOf(studio, file, { digest: first.body.digest }));
  expect(second.body.code).toBe('CONFLICT');
});

quick('a file is bounded, and read by administrators who may configure', async () => {
  const studio = await makeStudio(app);
  const many = {
    games: [
      {
        name: 'Many',
        boards: Array.from({ length: 2_000 }, (_, n) => ({ name: `B${n}` })),
      },
    ],
  };
  const { body } = await studio.admin.post(PLAN, bodyOf(studio, many));
  expect(body).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ msg: 'must have at most 2,000 records' }],
  });
  const large = {
    games: [{ name: 'Large', description: 'x'.repeat(256 * 1_024) }],
  };
  const { status, body: refused } = await studio.admin.post(PLAN, bodyOf(studio, large));
  expect([status, refused.code]).toEqual([413, 'BODY_TOO_LARGE']);
  const over = {
    games: [{ name: 'Large', description: 'x'.repeat(256 * 1_024 - 70) }],
  };
  expect((await studio.admin.post(PLAN, bodyOf(studio, over))).status).toBe(413);
  // Of a key without the right to configure, and of an administrator of one game.
  const game = await makeGame(studio, { name: 'Mine' });
  await makeGame(studio, { name: 'Other' });
  const keyed = async (scopes: string[], input: Data = {}) => {
    const user = await makeUser(app.superadmin, studio.accountId, input);
    const { key } = await makeKey(app.superadmin, studio.accountId, user.id, {
      scopes,
    });
    return { ...studio, admin: app.anyone.with({ 'service-api-key': key }) };
  };
  const file = {
    games: [{ name: 'Mine', description: 'Changed' }, { name: 'New' }],
    webhooks: [],
  };
  const reader = await keyed(['READ']);
  for (const [path, more] of [
    [PLAN, {}],
    [APPLY, { digest: 'none' }],
  ] as const)
    expect((await reader.admin.post(path, bodyOf(reader, file, more))).body.code).toBe('FORBIDDEN');
  const limited = await keyed(['CONFIGURE'], { gameIds: [game.id] });
  const seen = await plan(limited, file, { prune: true });
  expect(seen.changes.map(({ action, name }: Data) => `${action} ${name}`)).toEqual(['update Mine']);
  expect(seen.refusals).toMatchObject([{ path: ['games', '1'], code: 'FORBIDDEN' }]);
  expect(seen.notes).toEqual(['Webhooks are not in the file, because this key has no right to read them.']);
});
