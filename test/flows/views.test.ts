import { startApp, type TestApp } from '../support/app.js';
import { EVENTS, SCORES, takeNonces } from '../support/batches.js';
import { DAY } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { begin, until } from '../support/live.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { post, submit, submitFault, tagsOf, takeNonce } from '../support/play.js';
import { TestSocket } from '../support/socket.js';

// Declaration of views, and reads of their rankings, through all interfaces.

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp({ accessTokenSeconds: 30 * 86_400, refreshTokenSeconds: 60 * 86_400 });
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const VIEWS = [
  { name: 'weekly', period: 'WEEK' },
  { name: 'daily', period: 'DAY', keepPeriods: 3 },
  { name: 'class', by: ['class'] },
  { name: 'weekly_class', period: 'WEEK', by: ['class'] },
];
const CLASSES = [{ name: 'class', values: ['mage', 'rogue'] }];
const board = (input: Data = {}) =>
  makeBoard(studio, game.id, { keepStrategy: 'BEST', dimensions: CLASSES, views: VIEWS, ...input });

const RULES = `timeZone weekStart dayStart dimensions { name source setBy values }
  views { name period every { every unit from } seasons { name startsAt endsAt } by keepPeriods keepPodium since status progress }`;
const rulesOf = async (id: string): Promise<Data> =>
  (await studio.admin.data(`query ($id: ID!) { board(by: { id: $id }) { ${RULES} } }`, { id })).board;
const createFault = (input: Data) =>
  studio.admin.code('mutation ($input: CreateBoardInput!) { createBoard(input: $input) { board { id } } }', {
    input: { accountId: studio.accountId, gameId: game.id, name: 'Board', keepStrategy: 'BEST', ...input },
  });

const LIST = `query ($id: ID!, $view: String, $period: String, $where: [TagInput!], $first: Int, $after: String,
  $startRank: Int, $around: AroundInput, $identityId: ID) {
  board(by: { id: $id }) { ranking(view: $view, period: $period, where: $where) { totalCount
    entries(first: $first, after: $after, startRank: $startRank, around: $around, identityId: $identityId) {
      totalCount pageInfo { endCursor hasNextPage hasPreviousPage }
      nodes { rank percentile playerName value scoreId score { id value rank } ranking { view periodKey tags { name value }
        totalCount } } } } } }`;
const list = async (id: string, args: Data): Promise<Data> =>
  (await studio.admin.data(LIST, { id, ...args })).board.ranking.entries;
/** Of no player. */
const NOBODY = 'ide_00000000-0000-7000-8000-000000000000';
const tag = (value: string) => [{ name: 'class', value }];
const listFault = (id: string, args: Data) => studio.admin.code(LIST, { id, ...args });
const lines = ({ nodes }: Data): string[] =>
  nodes.map(({ rank, playerName, value }: Data) => `${rank} ${playerName} ${value}`);

describe('a declaration', () => {
  test('has its defaults, and is shown as it was given', async () => {
    const { id } = await board({ timeZone: 'Europe/Berlin', weekStart: 'SUNDAY', dayStart: '04:00' });
    expect(await rulesOf(id)).toEqual({
      timeZone: 'Europe/Berlin',
      weekStart: 'SUNDAY',
      dayStart: '04:00',
      dimensions: [{ name: 'class', source: 'SUBMISSION', setBy: 'CLIENT', values: ['mage', 'rogue'] }],
      views: VIEWS.map(({ name, period = null, by = [], keepPeriods }, i) => ({
        ...{ name, period, by, every: null, seasons: null, since: null, status: 'LIVE', progress: null },
        ...{ keepPeriods: keepPeriods ?? [26, 3, null, 8][i], keepPodium: 3 },
      })),
    });
  });

  test.each([
    ['a name with capitals', { views: [{ name: 'Weekly', period: 'WEEK' }] }],
    ['two views of one name', { views: [VIEWS[0], VIEWS[0]] }],
    ['no rule', { views: [{ name: 'x' }] }],
    ['two rules', { views: [{ name: 'x', period: 'DAY', every: { every: 2, from: '2030-01-01' } }] }],
    ['more than 366 days', { views: [{ name: 'x', period: 'DAY', keepPeriods: 367 }] }],
    ['no such zone', { timeZone: 'Mars/Olympus' }],
    ['a tag that is built in', { dimensions: [{ name: 'country' }] }],
    ['three tags in a view', { views: [{ name: 'x', by: ['class', 'country', 'platform'] }] }],
    [
      'seasons that overlap',
      {
        views: [
          {
            name: 'x',
            seasons: [
              { name: 'a', startsAt: '2030-01-01T00:00:00Z', endsAt: '2030-02-01T00:00:00Z' },
              { name: 'b', startsAt: '2030-01-31T00:00:00Z', endsAt: '2030-03-01T00:00:00Z' },
            ],
          },
        ],
      },
    ],
  ])('is refused with 422: %s', async (_, input) => {
    expect(await createFault({ dimensions: CLASSES, ...input })).toBe('VALIDATION_FAILED');
  });

  test('is refused with INVALID_VIEW where it does not fit the board', async () => {
    const nine = Array.from({ length: 9 }, (_, i) => ({ name: `v${i}`, period: 'DAY' }));
    expect(await createFault({ views: nine })).toBe('INVALID_VIEW');
    expect(await createFault({ keepStrategy: 'ALL', views: nine.slice(0, 5) })).toBe('INVALID_VIEW');
    expect(await createFault({ views: [{ name: 'x', by: ['guild'] }] })).toBe('INVALID_VIEW');
  });

  test('changes by names: the same rule stays, another one is refused, missing ones are dropped', async () => {
    const { id } = await board();
    const views = [
      { name: 'daily', period: 'DAY', keepPeriods: 5 },
      { name: 'monthly', period: 'MONTH' },
    ];
    expect(await changeFault(studio.admin, 'Board', id, { views: [{ name: 'daily', period: 'WEEK' }] })).toBe(
      'INVALID_VIEW',
    );
    expect(await changeFault(studio.admin, 'Board', id, { dimensions: [] })).toBe('INVALID_VIEW');
    await change(studio.admin, 'Board', id, { views });
    expect((await rulesOf(id)).views).toMatchObject([
      { name: 'daily', keepPeriods: 5, status: 'LIVE' },
      { name: 'monthly', period: 'MONTH', status: 'LIVE' },
    ]);
    await change(studio.admin, 'Board', id, { name: 'Other' });
    expect((await rulesOf(id)).views).toHaveLength(2);
  });

  test('of a template is that of its boards; periods are shorter than a window', async () => {
    const create = `mutation ($input: CreateBoardTemplateInput!) { createBoardTemplate(input: $input) {
      boardTemplate { id views { name period } } } }`;
    const input = {
      ...{ accountId: studio.accountId, gameId: game.id, name: 'Weekly {week}', repeatInterval: '1 week' },
      ...{
        nextRunAt: '2030-01-01T12:00:00Z',
        keepStrategy: 'BEST',
        views: [{ name: 'daily', period: 'DAY' }],
      },
    };
    const { createBoardTemplate } = await studio.admin.data(create, { input });
    expect(createBoardTemplate.boardTemplate.views).toEqual([{ name: 'daily', period: 'DAY' }]);
    const weekly = { ...input, views: [{ name: 'weekly', period: 'WEEK' }] };
    expect(await studio.admin.code(create, { input: weekly })).toBe('INVALID_VIEW');
    await app.app.jobs.run('run-board-templates');
    const { boards } = await studio.admin.data('{ boards { nodes { templateName views { name status } } } }');
    const made = boards.nodes.filter(({ templateName }: Data) => templateName !== null);
    expect(made).toEqual([{ templateName: 'Weekly {week}', views: [{ name: 'daily', status: 'LIVE' }] }]);
  });
});

describe('rankings', () => {
  let id: string;
  let ann: Player;
  let bob: Player;
  beforeAll(async () => {
    ({ id } = await board());
    [ann, bob] = [await startSession(app, game.id), await startSession(app, game.id)];
    await submit(ann, id, 50, { playerName: 'Ann', tags: { class: 'mage' } });
    await submit(bob, id, 40, { playerName: 'Bob', tags: { class: 'rogue' } });
    app.clock.advance(7 * DAY);
    await submit(ann, id, 10, { playerName: 'Ann', tags: { class: 'rogue' } });
    await submit(bob, id, 20, { playerName: 'Bob' });
  });

  test('a worse best of the week stands in the week', async () => {
    const current = await list(id, { view: 'weekly' });
    expect(lines(current)).toEqual(['1 Bob 20', '2 Ann 10']);
    expect(current.totalCount).toBe(2);
    expect(current.nodes[1]).toMatchObject({
      percentile: 0,
      score: { value: 50, rank: 1 },
      ranking: { view: 'weekly', periodKey: '2030-W02', tags: [], totalCount: 2 },
    });
    expect(lines(await list(id, { view: 'weekly', period: 'previous' }))).toEqual(['1 Ann 50', '2 Bob 40']);
    expect(lines(await list(id, { view: 'weekly', period: '2030-W01' }))).toEqual(['1 Ann 50', '2 Bob 40']);
  });

  test('groups hold players who played in them', async () => {
    expect(lines(await list(id, { view: 'class', where: tag('rogue') }))).toEqual(['1 Bob 40', '2 Ann 10']);
    expect(lines(await list(id, { view: 'weekly_class', where: tag('rogue') }))).toEqual(['1 Ann 10']);
    expect(await list(id, { view: 'weekly_class', where: tag('mage') })).toMatchObject({
      ...{ nodes: [], totalCount: 0 },
    });
  });

  test('pages, places and windows are those of the ranking', async () => {
    const first = await list(id, { view: 'weekly', period: 'previous', first: 1 });
    expect(lines(first)).toEqual(['1 Ann 50']);
    const after = first.pageInfo.endCursor;
    expect(lines(await list(id, { view: 'weekly', period: '2030-W01', first: 1, after }))).toEqual([
      '2 Bob 40',
    ]);
    // A cursor stays in its period where none is named.
    expect(lines(await list(id, { view: 'weekly', first: 1, after }))).toEqual(['2 Bob 40']);
    expect(await listFault(id, { view: 'weekly', period: 'current', after })).toBe('CURSOR_MISMATCH');
    expect(await listFault(id, { view: 'daily', after })).toBe('CURSOR_MISMATCH');
    expect(await listFault(id, { after })).toBe('CURSOR_MISMATCH');
    expect(lines(await list(id, { view: 'weekly', startRank: 2 }))).toEqual(['2 Ann 10']);
    const { scoreId } = first.nodes[0];
    expect(lines(await list(id, { view: 'weekly', around: { scoreId }, first: 3 }))).toEqual([
      '1 Bob 20',
      '2 Ann 10',
    ]);
    expect(
      await listFault(id, {
        view: 'class',
        where: tag('mage'),
        around: { scoreId: (await list(id, { view: 'weekly' })).nodes[0].scoreId },
      }),
    ).toBe('NOT_FOUND');
    expect(lines(await list(id, { view: 'weekly', identityId: ann.session.identityId }))).toEqual([
      '2 Ann 10',
    ]);
  });

  test.each([
    ['an unknown view', { view: 'yearly' }, 'INVALID_VIEW'],
    ['of without a view', { period: 'current' }, 'INVALID_VIEW'],
    ['a period before the board', { view: 'weekly', period: '2029-W01' }, 'INVALID_VIEW'],
    ['a period to come', { view: 'weekly', period: '2030-W05' }, 'INVALID_VIEW'],
    ['a malformed period', { view: 'weekly', period: '2030-1' }, 'VALIDATION_FAILED'],
    ['a period of all time', { view: 'class', period: '2030-W01', where: tag('mage') }, 'INVALID_VIEW'],
    ['no tag', { view: 'class' }, 'INVALID_VIEW'],
    ['another tag', { view: 'class', where: [{ name: 'guild', value: 'x' }] }, 'INVALID_VIEW'],
    ['a value outside the declared', { view: 'class', where: tag('bard') }, 'INVALID_VIEW'],
    ['a tag twice', { view: 'class', where: [...tag('mage'), ...tag('rogue')] }, 'VALIDATION_FAILED'],
    ['a player without an entry', { view: 'weekly', around: { identityId: NOBODY } }, 'INVALID_AROUND'],
    ['two places', { view: 'weekly', startRank: 1, around: { value: 1 } }, 'INVALID_AROUND'],
  ])('are refused for %s', async (_, args, code) => {
    expect(await listFault(id, args)).toBe(code);
  });

  test('periods and groups are listed', async () => {
    const { board } = await studio.admin.data(
      `query ($id: ID!) { board(by: { id: $id }) {
        weekly: view(name: "weekly") { groups { nodes { key } }
          periods(first: 1) { nodes { key state totalCount startsAt podium { rank playerName value isDisqualified } }
            pageInfo { hasNextPage endCursor } } }
        class: view(name: "class") { groups { nodes { key tags { name value } state totalCount } } } } }`,
      { id },
    );
    expect(board.weekly.groups).toBeNull();
    expect(board.weekly.periods).toMatchObject({
      nodes: [
        {
          key: '2030-W02',
          state: 'OPEN',
          totalCount: 2,
          startsAt: '2030-01-07T00:00:00.000Z',
          podium: [{ rank: 1, playerName: 'Bob', value: 20, isDisqualified: false }, { rank: 2 }],
        },
      ],
      pageInfo: { hasNextPage: true },
    });
    expect(board.class.groups.nodes).toEqual([
      { key: 'mage', tags: tag('mage'), state: 'OPEN', totalCount: 1 },
      { key: 'rogue', tags: tag('rogue'), state: 'OPEN', totalCount: 2 },
    ]);
    const rest = await studio.admin.get(
      `/v1/boards/${id}/views/weekly/periods?limit=1&cursor=${board.weekly.periods.pageInfo.endCursor}`,
    );
    expect(rest.body).toMatchObject({
      data: [{ key: '2030-W01', state: 'closed', total: 2 }],
      pagination: { has_next: false },
    });
    expect((await studio.admin.get(`/v1/boards/${id}/views/class/groups`)).body.data).toHaveLength(2);
    expect((await studio.admin.get(`/v1/boards/${id}/views`)).body.views).toHaveLength(4);
  });

  test("a player's standings are those of its lists", async () => {
    const { board } = await ann.client.data(
      `query ($id: ID!) { board(by: { id: $id }) {
        last: ranking(view: "weekly", period: "previous") { totalCount entry(identityId: "me") { rank value percentile } }
        own: ranking { view periodKey totalCount entry(identityId: "me") { rank } }
        entriesOf(identityId: "me") { rank value ranking { view periodKey tags { name value } totalCount } } } }`,
      { id },
    );
    expect(board).toEqual({
      last: { totalCount: 2, entry: { rank: 1, value: 50, percentile: 100 } },
      own: { view: null, periodKey: null, totalCount: 2, entry: { rank: 1 } },
      entriesOf: [
        { rank: 2, value: 10, ranking: { view: 'weekly', periodKey: '2030-W02', tags: [], totalCount: 2 } },
        { rank: 2, value: 10, ranking: { view: 'daily', periodKey: '2030-01-08', tags: [], totalCount: 2 } },
        {
          rank: 2,
          value: 10,
          ranking: { view: 'class', periodKey: 'all', tags: tag('rogue'), totalCount: 2 },
        },
        {
          ...{ rank: 1, value: 10 },
          ranking: { view: 'weekly_class', periodKey: '2030-W02', tags: tag('rogue'), totalCount: 1 },
        },
      ],
    });
  });

  test('REST has the same rows', async () => {
    const { body } = await studio.admin.get(`/v1/scores?board_id=${id}&view=weekly&of=previous`);
    expect(body.data).toMatchObject([
      { view: 'weekly', of: '2030-W01', rank: 1, player_name: 'Ann', value: 50, total: 2 },
      { rank: 2, player_name: 'Bob' },
    ]);
    expect(body.data[0]).not.toHaveProperty('id');
    const own = await ann.client.get(
      `/v1/client/scores?board_id=${id}&view=class&where=class:rogue&identity_id=me`,
    );
    expect(own.body.data).toMatchObject([{ of: 'all', where: { class: 'rogue' }, rank: 2 }]);
    const twice = await studio.admin.get(`/v1/scores?board_id=${id}&view=class&where=class:mage,class:rogue`);
    expect(twice).toMatchObject({ status: 422, body: { code: 'VALIDATION_FAILED' } });
    const unknown = await studio.admin.get(`/v1/scores?board_id=${id}&view=yearly`);
    expect(unknown).toMatchObject({ status: 400, body: { code: 'INVALID_VIEW' } });
    const standing = await ann.client.get(`/v1/client/boards/${id}/standing?identity_id=me&view=daily`);
    expect(standing.body).toMatchObject({ view: 'daily', of: '2030-01-08', rank: 2 });
    expect(
      (await ann.client.get(`/v1/client/boards/${id}/standings?identity_id=me`)).body.standings,
    ).toHaveLength(4);
    expect((await studio.admin.get(`/v1/scores?board_id=${id}`)).body.data[0]).toHaveProperty('id');
  });
});

describe('a submission', () => {
  test('answers the standings that were requested', async () => {
    const { id } = await board();
    const [ann, bob] = [await startSession(app, game.id), await startSession(app, game.id)];
    const SUBMIT = `mutation ($input: SubmitScoreInput!) { submitScore(input: $input) { submission {
      ranks(views: ["weekly", "class"]) { view periodKey tags { name value } state rank totalCount previousRank improved } } } }`;
    const send = async (player: Player, value: number, tags?: Data) => {
      const nonce = await takeNonce(player.client);
      const input = { boardId: id, playerName: 'P', value, tags: tagsOf(tags), nonce };
      return (await player.client.data(SUBMIT, { input })).submitScore.submission.ranks;
    };
    await send(bob, 30, { class: 'mage' });
    expect(await send(ann, 20, { class: 'mage' })).toEqual([
      {
        view: 'weekly',
        periodKey: '2030-W02',
        tags: [],
        state: 'RANKED',
        rank: 2,
        totalCount: 2,
        previousRank: null,
        improved: true,
      },
      {
        view: 'class',
        periodKey: 'all',
        tags: tag('mage'),
        state: 'RANKED',
        rank: 2,
        totalCount: 2,
        previousRank: null,
        improved: true,
      },
    ]);
    expect(await send(ann, 40)).toMatchObject([
      { view: 'weekly', rank: 1, previousRank: 2, improved: true },
      { view: 'class', state: 'NOT_RANKED', rank: null, improved: false },
    ]);
    const answer = await post(ann, { board_id: id, value: 1, tags: { class: 'rogue' } });
    expect(answer.body).toMatchObject({ rank: 1, value: 40 });
    const nonce = await takeNonce(ann.client);
    const asked = await ann.client
      .with({ 'service-client-nonce': nonce })
      .post('/v1/client/scores?standings=all', {
        board_id: id,
        player_name: 'P',
        value: 50,
        tags: { class: 'rogue' },
      });
    expect(asked).toMatchObject({ status: 201, body: { rank: 1, value: 50 } });
    expect(asked.body.standings).toMatchObject([
      { view: 'weekly', of: '2030-W02', state: 'ranked', rank: 1, previous_rank: 1 },
      { view: 'daily' },
      { view: 'class', where: { class: 'rogue' }, rank: 1, total: 1 },
      { view: 'weekly_class' },
    ]);
    const server = { board_id: id, identity_id: ann.session.identityId, value: 60, tags: { class: 'rogue' } };
    const event = await studio.admin.post('/v1/score-events?standings=class', server);
    expect(event).toMatchObject({ status: 201, body: { event_payload: { value: 60 } } });
    expect(event.body.standings).toMatchObject([
      { view: 'class', where: { class: 'rogue' }, rank: 1, total: 1 },
    ]);
    expect((await studio.admin.post('/v1/score-events', server)).body).not.toHaveProperty('standings');
  });

  test('of a batch answers them, too, each item its own', async () => {
    const [one, other] = [await board(), await board({ views: VIEWS.slice(1) })];
    const ann = await startSession(app, game.id);
    const nonces = await takeNonces(ann, 4);
    const items = [
      { board_id: one.id, value: 10, tags: { class: 'mage' } },
      { board_id: one.id, value: 20 },
      { board_id: other.id, value: 5 },
      { board_id: one.id, value: 1, tags: { class: 'bard' } },
    ].map((item, i) => ({ ...item, player_name: 'Ann', nonce: nonces[i] }));
    const { status, body } = await ann.client.post(`${SCORES}?standings=weekly,class`, { items });
    expect(status).toBe(200);
    expect(body.results).toMatchObject([
      {
        status: 201,
        standings: [
          {
            view: 'weekly',
            of: expect.stringMatching(/^2030-W/),
            rank: 1,
            previous_rank: null,
            improved: true,
          },
          { view: 'class', where: { class: 'mage' }, rank: 1, total: 1 },
        ],
      },
      { status: 201, standings: [{ view: 'weekly', rank: 1, previous_rank: 1 }, { state: 'not_ranked' }] },
      { status: 400, error: { code: 'INVALID_VIEW' } },
      { status: 400, error: { code: 'INVALID_VIEW' } },
    ]);
    expect(body.results[3]).not.toHaveProperty('standings');
    const identity_id = ann.session.identityId;
    const made = { items: [{ board_id: other.id, identity_id, value: 7 }] };
    const { results } = (await studio.admin.post(`${EVENTS}?standings=all`, made)).body;
    expect(results[0].standings.map(({ view }: Data) => view)).toEqual(['daily', 'class', 'weekly_class']);
    expect((await studio.admin.post(EVENTS, made)).body.results[0]).not.toHaveProperty('standings');
    expect((await studio.admin.post(`${EVENTS}?standings=A`, made)).status).toBe(422);
    const create = `mutation ($input: CreateScoreEventsInput!) { createScoreEvents(input: $input) { results { ...Places } } }
      fragment Places on Submission { week: ranks(views: ["weekly"]) { view rank } rest: ranks(views: ["daily"]) { view totalCount } }`;
    const input = {
      items: Array.from({ length: 2 }, () => ({ boardId: one.id, identityId: identity_id, value: 7 })),
    };
    const { createScoreEvents } = await studio.admin.data(create, { input });
    expect(createScoreEvents.results[1]).toEqual({
      ...{ week: [{ view: 'weekly', rank: 1 }], rest: [{ view: 'daily', totalCount: 1 }] },
    });
  });

  test('has tags that the board declares only', async () => {
    const server = { name: 'track', setBy: 'SERVER' };
    const { id } = await board({ dimensions: [...CLASSES, server] });
    const ann = await startSession(app, game.id);
    expect(await submitFault(ann, id, 1, { tags: { guild: 'x' } })).toBe('INVALID_VIEW');
    expect(await submitFault(ann, id, 1, { tags: { class: 'bard' } })).toBe('INVALID_VIEW');
    expect(await submitFault(ann, id, 1, { tags: { track: '7' } })).toBe('INVALID_VIEW');
    expect(await submitFault(ann, id, 1, { tags: { class: 'a,b' } })).toBe('VALIDATION_FAILED');
    const twice = { boardId: id, playerName: 'P', value: 1, tags: [...tag('mage'), ...tag('rogue')] };
    const send =
      'mutation ($input: SubmitScoreInput!) { submitScore(input: $input) { submission { kept } } }';
    expect(await ann.client.code(send, { input: twice })).toBe('VALIDATION_FAILED');
    const { status } = await studio.admin.post('/v1/score-events', {
      ...{ board_id: id, identity_id: ann.session.identityId, value: 1, tags: { track: '7' } },
    });
    expect(status).toBe(201);
  });
});

test('the standings of a ranking are exported', async () => {
  const { id } = await board();
  const path = `/v1/boards/${id}/export?view=weekly`;
  const ann = await startSession(app, game.id);
  await submit(ann, id, 50, { playerName: 'Ann' });
  app.clock.advance(7 * DAY);
  await submit(ann, id, 10, { playerName: 'Ann' });
  const linesOf = ({ body }: Data) => body.trim().split('\n').slice(1);
  const [now, trailer] = linesOf(await studio.admin.get(path));
  expect(now).toMatch(/,false,1,scr_.*,Ann,10,/);
  expect(trailer).toMatch(/^# trailer what=standings .* count=1$/);
  expect(linesOf(await studio.admin.get(`${path}&of=previous`))[0]).toMatch(/,Ann,50,/);
  expect((await studio.admin.get(`${path}&what=events`)).status).toBe(422);
  const unknown = await studio.admin.get(`/v1/boards/${id}/export?view=yearly`);
  expect(unknown).toMatchObject({ status: 400, body: { code: 'INVALID_VIEW' } });
});

describe('live', () => {
  const WINDOW = `subscription ($id: ID!) { boardChanged(boardId: $id, view: "daily", first: 3) {
    version ranking { view periodKey } entries { totalCount nodes { rank playerName value } } } }`;
  const RANK = `subscription ($id: ID!) { rankChanged(boardId: $id, view: "daily", identityIds: ["me"]) {
    version ranking { view periodKey } entry { rank value } previousRank totalCount nextAbove { playerName } gapToNext } }`;

  test('a window and a rank of the present period go over to the next one at its end', async () => {
    const { id } = await board();
    const [ann, bob] = [await startSession(app, game.id), await startSession(app, game.id)];
    await submit(ann, id, 50, { playerName: 'Ann' });
    const socket = await TestSocket.connect(app.url, studio.admin.headers);
    begin(socket, WINDOW, { id });
    const first = await until(socket, () => true);
    expect(first).toMatchObject({ ranking: { view: 'daily' }, entries: { totalCount: 1 } });
    expect(first.entries.nodes).toEqual([{ rank: 1, playerName: 'Ann', value: 50 }]);
    const ranks = await TestSocket.connect(app.url, ann.client.headers);
    begin(ranks, RANK, { id });
    expect(await until(ranks, () => true)).toMatchObject({
      ...{ ranking: first.ranking, entry: { rank: 1 }, nextAbove: null },
    });
    await submit(bob, id, 70, { playerName: 'Bob' });
    const second = await until(socket, ({ entries }) => entries.totalCount === 2);
    expect(second.entries.nodes).toMatchObject([{ playerName: 'Bob' }, { playerName: 'Ann' }]);
    expect(await until(ranks, ({ entry }) => entry?.rank === 2)).toMatchObject({
      ...{ previousRank: 1, totalCount: 2, nextAbove: { playerName: 'Bob' }, gapToNext: 20 },
    });
    app.clock.advance(DAY);
    const next = await until(socket, ({ ranking }) => ranking.periodKey !== first.ranking.periodKey);
    expect(next.entries).toEqual({ totalCount: 0, nodes: [] });
    const isNext = ({ ranking }: Data) => ranking.periodKey === next.ranking.periodKey;
    expect(await until(ranks, isNext)).toMatchObject({ entry: null, totalCount: 0 });
    await submit(ann, id, 5, { playerName: 'Ann' });
    const later = await until(socket, ({ entries }) => entries.totalCount === 1);
    expect(later).toMatchObject({ ranking: next.ranking, entries: { nodes: [{ rank: 1, value: 5 }] } });
    await Promise.all([socket.close(), ranks.close()]);
  });

  test('a stream of REST has the rows of the view', async () => {
    const { id } = await board();
    await submit(await startSession(app, game.id), id, 50, { playerName: 'Ann' });
    const { status, body } = await studio.admin.get(`/v1/boards/${id}/live?view=daily`);
    expect(status).toBe(200);
    expect(body).toContain('"standings":[{"score_id":"scr_');
    expect((await studio.admin.get(`/v1/boards/${id}/live?view=yearly`)).body.code).toBe('INVALID_VIEW');
  });
});
