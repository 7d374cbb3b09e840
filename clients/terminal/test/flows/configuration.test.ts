import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { RUN_TEMPLATES } from '../../../../src/boards/templates/run.js';
import { startApp, type TestApp } from '../../../../test/support/app.js';
import { makePlayer, play } from '../../../../test/support/flags.js';
import type { Data } from '../../../../test/support/http.js';
import { full, quick } from '../../../../test/support/lane.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  makeTemplate,
  type Studio,
} from '../../../../test/support/make.js';
import { type Run, Terminal } from '../../../../test/support/terminal.js';

/** Two installations; the first has two accounts. */
let apps: TestApp[];
let studio: Studio;
let foreign: Studio;
let terminal: Terminal;
let other: Terminal;
let elsewhere: Terminal;

function terminalOf(app: TestApp, { admin }: Studio): Terminal {
  return new Terminal({ LEADERBOARD_API: app.url, LEADERBOARD_API_KEY: admin.headers['service-api-key']! });
}

beforeAll(async () => {
  apps = await Promise.all([startApp(), startApp()]);
  studio = await makeStudio(apps[0]!);
  terminal = terminalOf(apps[0]!, studio);
  foreign = await makeStudio(apps[0]!);
  other = terminalOf(apps[0]!, foreign);
  elsewhere = terminalOf(apps[1]!, await makeStudio(apps[1]!));
});
afterAll(async () => {
  for (const each of [terminal, other, elsewhere]) each.close();
  await Promise.all(apps.map((app) => app.close()));
});

const FILE = `games:
  - name: Sky Race
    slug: sky-race
    accent_colour: "#2A56C6"
    environment: staging
    overlay_origins: ["https://Stream.example.com/", "https://stream.example.com"]
    default_board: High score
    anti_cheat_settings:
      rate_limit: { b: 60, c: "off" }
    boards:
      - name: High score
        keep_strategy: best
        tags: [main]
        tickets: { mode: required, view: weekly, attempts: 3, clock: { min_seconds: 2.5 } }
        time_zone: Europe/Berlin
        dimensions: [{ name: class, values: [mage, rogue] }]
        views:
          - { name: weekly, period: week, keep_periods: 12 }
          - { name: class, by: [class] }
          - { name: season, seasons: [{ name: one, starts_at: 2099-01-01T00:00:00Z, ends_at: 2099-04-01T00:00:00Z }] }
        closing_rules:
          - view: weekly
            prizes:
              ties: share
              lines:
                - { name: gold, first_rank: 1, title: Gold, grant: { coins: 100, items: [crown] } }
                - { name: tenth, percent: 10, title: Upper tenth }
      - name: Kills
        board_type: counter
        icon: null
        format: { kind: time, decimals: 1 }
      - name: Deaths
        board_type: counter
        is_published: false
      - name: Rate
        short_code: rate1
        board_type: ratio
        ratio_config: { numerator_board: kills, denominator_board: Deaths, decimals: 1 }
      - name: Over
        starts_at: 2026-01-01
        ends_at: 2026-01-31T12:00:00+01:00
        created_from_template: Daily
    templates:
      - name: Daily
        name_template: "{date}"
        repeat_interval: 1 day
        next_run_at: 2099-01-01
        config: { colour: red }
        format: { kind: compact }
        tickets: { mode: asked, clock: {} }
        views: [{ name: country, by: [country] }]
        closing_rules: [{ prizes: { lines: [{ name: all, title: For all }] } }]
  - name: Empty
    boards: []
    templates: []
`;

/** The smallest record of each kind, and more boards than a page of a list. */
const MANY = `games:
  - name: Many
    boards:
${Array.from({ length: 101 }, (_, index) => {
  const no = String(index).padStart(3, '0');
  return `      - name: Board ${no}\n        slug: b-${no}\n        keep_strategy: all\n`;
}).join('')}    templates:
      - name: Weekly
        keep_strategy: all
        next_run_at: 2099-01-01T00:00:00.000Z
        repeat_interval: 1 week
`;

const run = (t: Terminal, line: string, content: string, env = {}): Promise<Run> =>
  t.run([...line.split(' '), '-'], { input: content, env });

function boards(code: string): Promise<Data> {
  return studio.admin.data(
    'query ($code: String) { board(by: { shortCode: $code }) { id ranking { totalCount } sortDirection } }',
    {
      code,
    },
  );
}

quick('a file is applied, pulled, and applied to another account and another installation', async () => {
  const apply = await run(terminal, 'apply', FILE);
  expect(apply).toMatchObject({ code: 0, stderr: '' });
  expect(apply.stdout).toMatch(/^\+ game Sky Race\n[\s\S]*Applied: 8 created, 1 changed, 0 deleted\.\n$/);
  const nothing = { code: 0, stderr: '', stdout: 'Nothing to do. The service matches the file.\n' };
  expect(await run(terminal, 'plan', FILE)).toEqual(nothing);

  const pulled = await terminal.out('pull');
  expect(pulled).toMatch(
    /^# yaml-language-server: \$schema=leaderboards\.schema\.json\ngames:\n {2}- name: Empty\n/,
  );
  expect(pulled).toContain('short_code: RATE1\n');
  expect(await run(terminal, 'apply', pulled)).toEqual(nothing);
  expect(await run(elsewhere, 'apply', pulled)).toMatchObject({ code: 0, stderr: '' });
  expect(await elsewhere.out('pull')).toBe(pulled);

  const portable = await terminal.out('pull', '--portable');
  expect(portable).not.toMatch(/short_code|slug: sky-race/);
  expect(await run(other, 'apply', portable)).toMatchObject({ code: 0, stderr: '' });
  expect(await other.out('pull', '--portable')).toBe(portable);
});

full('lists of several pages are read whole, and values of new records are not written', async () => {
  expect(await run(elsewhere, 'apply --prune', MANY)).toMatchObject({ code: 0 });
  const [, portable = ''] = (await elsewhere.out('pull', '--portable')).split('leaderboards.schema.json\n');
  expect(portable).toBe(MANY);
});

quick('a plan says what is ranked anew, what has another name and what is not in the file', async () => {
  const { board } = await boards('RATE1');
  const { boards: all } = await studio.admin.data('{ boards(first: 100) { nodes { id gameId name } } }');
  const high = all.nodes.find(({ name }: Data) => name === 'High score');
  for (const [name, value] of [
    ['Ann', 3],
    ['Bob', 5],
  ] as const) {
    const player = await makePlayer(studio.admin, high.gameId, name);
    await play(studio.admin, high.id, player, value, { playerName: name });
  }
  const changed = FILE.replace('keep_strategy: best', 'keep_strategy: best\n        sort_direction: asc')
    .replace('      - name: High score', '      - name: Fastest\n        renamed_from: High score')
    .replace('default_board: High score', 'default_board: Fastest')
    .replace('denominator_board: Deaths, decimals: 1', 'denominator_board: Deaths, decimals: 2')
    .replace('kind: time, decimals: 1', 'kind: time, time_unit: milliseconds')
    .replace(/ {6}- name: Over[\s\S]*?(?= {4}templates)/, '')
    .replace(/ {2}- name: Empty[\s\S]*/, '');
  const plan = await run(terminal, 'plan', changed);
  expect(plan).toEqual({
    code: 3,
    stderr: '',
    stdout: `~ board Sky Race / Fastest
    name: High score → Fastest
    sort_direction: desc → asc
    re-ranks 2 scores
~ board Sky Race / Kills
    format.decimals: 1 → none
    format.time_unit: seconds → milliseconds
~ board Sky Race / Rate
    ratio_config.decimals: 1 → 2
    re-ranks 0 scores
Not in the file and left unchanged (use --prune to delete them):
    board Sky Race / Over
    game Empty
Plan: 0 to create, 3 to change, 0 to delete; 2 boards re-ranked.
`,
  });
  const pruned = JSON.parse((await run(terminal, 'apply --prune --json', changed)).stdout);
  expect(pruned.done.map(({ action, name }: Data) => `${action} ${name}`)).toEqual([
    'update Sky Race / Fastest',
    'update Sky Race / Kills',
    'update Sky Race / Rate',
    'delete Sky Race / Over',
    'delete Empty',
  ]);
  expect(pruned).toMatchObject({
    done: [{ id: high.id, scores_ranked_anew: 2 }, {}, { id: board.id }, {}, {}],
    not_done: [],
  });
  const { board: fastest } = await studio.admin.data(
    'query ($id: ID!) { board(by: { id: $id }) { name scores(first: 2) { nodes { playerName } } } }',
    { id: high.id },
  );
  expect(fastest).toEqual({
    name: 'Fastest',
    scores: { nodes: [{ playerName: 'Ann' }, { playerName: 'Bob' }] },
  });
});

full('a wrong file changes nothing, and a refused change ends an apply that goes on later', async () => {
  await run(terminal, 'apply', FILE);
  const before = await terminal.out('pull');
  const name = path.join(terminal.home, 'leaderboards.yaml');
  writeFileSync(
    name,
    `games:
  - name: Sky Race
    boards:
      - name: New
      - name: Kills
        board_type: run_runs
      - name: Deaths
        slug: dead
`,
  );
  expect(await terminal.run(['apply', name])).toEqual({
    code: 2,
    stdout: '',
    stderr: `${name}:5:9: The type of a board cannot be changed after it is created.
${name}:8:15: slug cannot be changed. Deaths has the slug "deaths"
`,
  });
  writeFileSync(name, 'games: []');
  const screen = terminal.at(['apply', '--prune', name]);
  await screen.shows('Delete these?');
  screen.type('\u0003');
  expect(await screen.ended).toBe(130);
  expect(await terminal.out('pull')).toBe(before);

  const half = before.replace(
    '    boards:\n',
    '    boards:\n      - name: First\n      - name: Last\n        short_code: B000\n',
  );
  const { shortCode: code } = await makeBoard(foreign, (await makeGame(foreign)).id);
  const taken = await run(terminal, 'apply', half.replace('B000', code));
  const conflict = expect.stringMatching(/:\d+:21: Another board already uses this short_code\.\n$/);
  expect(taken).toEqual({ code: 2, stdout: '', stderr: conflict });
  // What only the database knows.
  const { knex } = apps[0]!.database;
  await knex.raw(`create function refuse_last() returns trigger language plpgsql as $$
    begin if new.name = 'Last' then raise sqlstate '57014'; end if; return new; end $$;
    create trigger refuse_last before insert on boards for each row execute function refuse_last()`);
  const stopped = await run(terminal, 'apply', half);
  expect(stopped.code).toBe(1);
  await knex.raw('drop trigger refuse_last on boards; drop function refuse_last()');
  expect(stopped.stdout).toMatch(
    /^\+ board Sky Race \/ First\nApplied: 1 created, 0 changed, 0 deleted\.\n$/,
  );
  expect(stopped.stderr).toMatch(
    /^error: .*UNAVAILABLE.*\nRefused: \+ board Sky Race \/ Last \(standard input:\d+:9\)\n.* run apply again .*\n$/,
  );
  const rest = await run(terminal, 'apply', half);
  expect(rest).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\+ board Sky Race \/ Last\n/) });
});

full('another state than the planned one is refused, and nothing is changed', async () => {
  const [app] = apps as [TestApp];
  const own = await makeStudio(app);
  const game = await makeGame(own, { name: 'Old' });
  const t = terminalOf(app, own);
  try {
    const name = path.join(t.home, 'leaderboards.yaml');
    writeFileSync(name, 'games: [{name: New}]');
    const screen = t.at(['apply', '--prune', name]);
    await screen.shows('Delete these?');
    await makeBoard(own, game.id);
    screen.type('y');
    expect(await screen.ended).toBe(1);
    expect(screen.text).toContain('The configuration of the account was changed after the plan. Plan again.');
    expect((await t.json('games', 'list')).data.map((one: Data) => one.name)).toEqual(['Old']);
  } finally {
    t.close();
  }
});

quick('a service that cannot plan is named with its version and that of the terminal', async () => {
  const old = createServer(({ url }, response) => {
    const answers: Record<string, object> = {
      '/v1/me': { account_id: studio.accountId },
      '/openapi.json': { info: { version: '0.0.9' }, paths: {} },
    };
    const found = answers[url!];
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? { error: 'Not found', code: 'NOT_FOUND', request_id: 'r' }));
  }).listen(0, '127.0.0.1');
  await once(old, 'listening');
  const api = `http://127.0.0.1:${(old.address() as AddressInfo).port}`;
  const t = new Terminal({ LEADERBOARD_API: api, LEADERBOARD_API_KEY: 'key' });
  try {
    const sentence = new RegExp(
      `^error: The service at ${api} has version 0\\.0\\.9 and cannot plan configurations\\. This terminal has version \\d+\\.\\d+\\.\\d+`,
    );
    for (const command of [['plan', '-'], ['apply', '-'], ['pull']]) {
      const { code, stdout, stderr } = await t.run(command, { input: 'games: []' });
      expect({ code, stdout, stderr }).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(sentence),
      });
    }
    // What needs no service is checked without one.
    expect((await run(t, 'plan', 'game: []')).stderr).toContain('unknown field "game"');
    expect((await t.run(['schema'])).code).toBe(0);
  } finally {
    t.close();
    old.close();
  }
});

full('webhooks are in the file, and the addresses of chats in the environment', async () => {
  const file = `games:
  - name: Hooked
    slug: hooked
    boards:
      - name: Cup
webhooks:
  - name: Backend
    url: https://api.example.com/hooks
    events: [score.flagged, board.closed]
    games: [Hooked]
    boards: [{ game: hooked, board: Cup }]
    ordered: true
  - name: Chat
    url: \${WEBHOOK_CHAT_URL}
    events: [board.closed]
    format: discord
    paused: true
`;
  const url = 'https://discord.com/api/webhooks/1/very-secret';
  const [app] = apps as [TestApp];
  const own = await makeStudio(app);
  const { admin } = own;
  const t = terminalOf(app, own);
  try {
    const unset = await run(t, 'apply', file);
    const message = expect.stringMatching(/:14:10: url is that of a new webhook: .* WEBHOOK_CHAT_URL /);
    expect(unset).toMatchObject({ code: 2, stderr: message });
    const applied = await run(t, 'apply', file, { WEBHOOK_CHAT_URL: url });
    expect(applied).toMatchObject({ code: 0, stderr: '' });
    expect(applied.stdout).toMatch(/its secret: leaderboard webhooks rotate-secret whk_/);
    expect(applied.stdout).toMatch(/ url: https:\/\/discord\.com\/… \([0-9a-f]{8}\)\n/);
    expect(applied.stdout).not.toMatch(/very-secret|whsec_/);
    const read = async (): Promise<Data[]> =>
      (await admin.get('/v1/webhook-endpoints?sort=created_at:asc')).body.data;
    const [cup] = (await admin.get('/v1/boards')).body.data;
    const [backend, chat] = await read();
    expect(backend).toMatchObject({
      ...{ game_ids: [cup.game_id], board_ids: [cup.id], ordered: true, status: 'active' },
      ...{ url: 'https://api.example.com/hooks', events: ['score.flagged', 'board.closed'] },
    });
    expect(chat).toMatchObject({ url, format: 'discord', status: 'paused' });

    // Without the variable the address stays.
    const pulled = await t.out('pull');
    expect(pulled).not.toMatch(/very-secret|whsec_/);
    expect(pulled).toMatch(/url: \$\{WEBHOOK_CHAT_URL\}\n[\s\S]* paused: true\n/);
    const nothing = { code: 0, stderr: '', stdout: 'Nothing to do. The service matches the file.\n' };
    expect(await run(t, 'plan --prune', pulled)).toEqual(nothing);

    // What the service stopped, a file does not resume; what a template made, no file can name.
    await app.database.knex('webhook_endpoints').update({ status: 'paused', status_reason: 'A copy.' });
    const nextRunAt = new Date(app.clock.now()).toISOString();
    const template = await makeTemplate(own, cup.game_id, { nextRunAt });
    await app.app.jobs.run(RUN_TEMPLATES);
    const { boardTemplate } = await admin.data(
      'query ($id: ID!) { boardTemplate(id: $id) { boards { nodes { id } } } }',
      { id: template.id },
    );
    const boardIds = [cup.id, boardTemplate.boards.nodes[0].id];
    await change(admin, 'WebhookEndpoint', backend!.id, { boardIds });
    const copy = await t.out('pull');
    expect(copy).not.toContain('paused');
    const plan = await run(t, 'plan', copy.replace('ordered: true', 'population: all'));
    expect(plan.stdout).toBe(`~ webhook Backend
    ordered: true → false
    population: production → all
Plan: 0 to create, 1 to change, 0 to delete.
`);
    const pruned = await run(t, 'apply --prune', `${file.split('webhooks:')[0]}webhooks: []\n`);
    expect(pruned.stdout).toMatch(/^- webhook Backend\n- webhook Chat\n/);
    expect(await read()).toEqual([]);
  } finally {
    t.close();
  }
});

full('records that a file cannot hold are noted, and stay as they are', async () => {
  const [app] = apps as [TestApp];
  const own = await makeStudio(app);
  const game = await makeGame(own, { name: 'Past' });
  await makeTemplate(own, game.id, { name: 'Twice' });
  await makeTemplate(own, game.id, { name: 'Twice' });
  const daily = await makeTemplate(own, game.id, {
    name: 'Hourly',
    repeatInterval: '1 hour',
    nextRunAt: new Date(app.clock.now()).toISOString(),
  });
  await app.app.jobs.run(RUN_TEMPLATES);
  const { boardTemplate } = await own.admin.data(
    'query ($id: ID!) { boardTemplate(id: $id) { boards { nodes { id name } } } }',
    { id: daily.id },
  );
  const [made] = boardTemplate.boards.nodes;
  await change(own.admin, 'Game', game.id, { defaultBoardId: made.id });
  const old = await makeBoard(own, game.id, { name: 'Old cup', slug: 'cup', boardType: 'COUNTER' });
  const steps = await makeBoard(own, game.id, { name: 'Steps', slug: 'steps', boardType: 'COUNTER' });
  const ratioConfig = { numeratorBoardId: old.id, denominatorBoardId: steps.id };
  await makeBoard(own, game.id, { name: 'Quotient', boardType: 'RATIO', ratioConfig });
  await change(own.admin, 'Board', old.id, { isActive: false });
  await makeBoard(own, game.id, { name: 'New cup', slug: 'cup' });

  const t = terminalOf(app, own);
  try {
    const pulled = await t.run(['pull', '--portable']);
    expect(pulled.stderr.trim().split('\n').toSorted()).toEqual([
      'note: 1 older board(s) of Past with the slug cup are not in the file.',
      'note: The ratio board Quotient of Past is not in the file, because its source boards are not.',
      'note: The templates of Past called Twice are not in the file. Rename all but one.',
    ]);
    expect(pulled.stdout.match(/(?<=- name: ).*/g)).toEqual(['Past', 'New cup', 'Steps', 'Hourly']);
    const applied = await run(t, 'apply --prune --quiet', pulled.stdout);
    expect(applied).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await t.json('games', 'show', game.id)).default_board_id).toBe(made.id);
    expect((await t.json('boards', 'list')).data).toHaveLength(5);
  } finally {
    t.close();
  }
});
