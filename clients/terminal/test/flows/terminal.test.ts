import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { startApp, type TestApp } from '../../../../test/support/app.js';
import { makePlayer, play } from '../../../../test/support/flags.js';
import type { Data } from '../../../../test/support/http.js';
import { full, quick } from '../../../../test/support/lane.js';
import { makeBoard, makeGame, makeStudio, type Studio, unique } from '../../../../test/support/make.js';
import { Terminal } from '../../../../test/support/terminal.js';

// The program itself, in processes of its own: some hundred milliseconds each.

let app: TestApp;
let studio: Studio;
let key: string;
let terminal: Terminal;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  key = studio.admin.headers['service-api-key']!;
  terminal = new Terminal({ LEADERBOARD_API: app.url });
  const login = await terminal.run(['login'], { input: `${key}\n` });
  expect(login).toMatchObject({ code: 0, stderr: '' });
});
afterAll(async () => {
  terminal.close();
  await app.close();
});

const VIEWS = [
  ...['--dimensions', '{"name": "class"}', '--views', '{"name": "weekly", "period": "week"}'],
  ...['--views', '{"name": "class", "by": ["class"]}'],
];

full('a studio does everything from a terminal', async () => {
  const t = terminal;
  const game = await t.json('games', 'create', 'Sky Race', '--tags', 'arcade', '--tags', 'a, b');
  expect(game).toMatchObject({ account_id: studio.accountId, slug: 'sky-race', tags: ['arcade', 'a, b'] });
  const named = ['--description', 'Fast.', '--no-anti-cheat-enabled', '--clear', 'tags'];
  expect(await t.json('games', 'update', 'sky-race', ...named)).toMatchObject({
    description: 'Fast.',
    anti_cheat_enabled: false,
    tags: [],
  });
  expect(await t.json('games', 'update', 'sky-race', '--clear', 'description')).toMatchObject({
    description: null,
  });
  const id = (
    await t.out('boards', 'create', 'sky-race', 'High score', '--keep-strategy', 'best', '-q')
  ).trim();
  const board = await t.json('boards', 'show', 'sky-race/high-score');
  expect(board).toMatchObject({ id, keep_strategy: 'best', ratio_config: null });
  const code: string = board.short_code;
  const [wins, tries] = await Promise.all(
    ['Wins', 'Tries'].map((name) => t.json('boards', 'create', 'sky-race', name, '--board-type', 'counter')),
  );
  const sources = [
    '--numerator-board',
    wins.short_code,
    '--denominator-board',
    tries.id,
    '--display',
    'percent',
  ];
  const ratio = await t.json('boards', 'create', 'sky-race', 'Rate', '--board-type', 'ratio', ...sources);
  expect(ratio.ratio_config).toMatchObject({ numerator_board_id: wins.id, display: 'percent' });
  expect(await t.json('games', 'update', 'sky-race', '--default-board', code)).toMatchObject({
    default_board_id: id,
  });
  const weekly = ['Weekly', '1 week', '2099-01-01', '--name-template', 'Week {week}', '--slug', 'weekly'];
  await t.json('templates', 'create', 'sky-race', ...weekly);
  expect(await t.json('templates', 'update', 'Weekly', '--no-active')).toMatchObject({
    is_active: false,
    next_run_at: '2099-01-01T00:00:00.000Z',
  });

  const [ann, eve] = await Promise.all(
    ['Ann', 'Eve'].map((name) =>
      t.json('players', 'create', 'sky-race', 'custom', name, '--display-name', name),
    ),
  );
  const submitted = (player: Data, value: string) =>
    t.out('scores', 'submit', code, player.id, value, '--metadata', '{"l": 1}');
  expect(await submitted(ann, '100')).toMatch(/^Submitted: \w+ has rank 1\.\n/);
  for (const [index, name] of ['Bob', 'Cy', 'Di'].entries()) {
    const player = await makePlayer(studio.admin, game.id, name);
    await play(studio.admin, id, player, 100 * (index + 2), { playerName: name });
  }
  expect(await submitted(eve, '500')).toMatch(/^Submitted: \w+ has rank 1\.\n/);
  const ranks = (list: Data) => list.data.map((score: Data) => [score.rank, score.player_name]);
  expect(ranks(await t.json('scores', 'list', code, '--limit', '2'))).toEqual([
    [1, 'Eve'],
    [2, 'Di'],
  ]);
  expect(ranks(await t.json('scores', 'around', code, '--player', ann.id, '--limit', '3'))).toEqual([
    [3, 'Cy'],
    [4, 'Bob'],
    [5, 'Ann'],
  ]);
  const window = await t.out('scores', 'around', code, '--value', '250', '--limit', '3');
  expect(window.split('\n').filter((line) => line.startsWith('>'))).toEqual([
    expect.stringMatching(/^>\t4\t\t250\t/),
  ]);
  expect(await t.out('players', 'end-sessions', ann.id, '--yes')).toMatch(
    /^Ended the sessions of the player\.\n/,
  );
  const [event] = (await t.json('events', 'list', '--board', code, '--player', ann.id)).data;
  expect(event.event_payload).toMatchObject({ value: 100, metadata: { l: 1 } });
  expect((await t.json('states', 'list', code, '--player', ann.id)).data).toMatchObject([{ value: 100 }]);
  expect((await t.json('submissions', 'list', '--player', ann.id)).data).toMatchObject([
    { submission_count: 1 },
  ]);
  expect((await t.json('boards', 'history', code, '--by', 'hour', '--spans', '2')).points).toHaveLength(2);
  expect((await t.out('games', 'history', 'sky-race')).trim().split('\n')).toHaveLength(30);
  expect(await t.json('players', 'show', 'ANN')).toMatchObject({ id: ann.id });
  expect((await t.run(['players', 'show', 'nobody of this name'])).code).toBe(1);
  expect(await t.json('players', 'update', ann.id, '--trust-tier', 'c')).toMatchObject({ trust_tier: 'c' });
  expect(await t.json('boards', 'close', code)).toMatchObject({ is_active: false });
  const closed = await t.run(['scores', 'submit', code, ann.id, '7']);
  expect(closed).toMatchObject({ code: 1, stderr: expect.stringContaining('BOARD_CLOSED') });

  const total = await t.json('boards', 'create', 'sky-race', 'Total', '--board-type', 'counter');
  const runs = [1, 2, 2].map((value) => JSON.stringify({ identity_id: ann.id, value }));
  const sendFile = (lines: string[]) =>
    t.run(['scores', 'submit-file', '-', '--board', total.short_code], { input: lines.join('\n') });
  expect(await sendFile(runs)).toMatchObject({ code: 0, stdout: 'Submitted 3 of 3 scores.\n' });
  expect(await sendFile([...runs, '', JSON.stringify({ identity_id: 'x', score: 3 })])).toMatchObject({
    code: 1,
    stdout: 'Submitted 3 of 4 scores. 3 of them had already been stored.\n',
    stderr: expect.stringMatching(/^line 5: value is required\. Unknown field "score".*\(422 VALID/),
  });
  expect(await sendFile(['{"identity_id":"x","value":9007199254740993}'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('line 1 has a number with too many digits'),
  });
  expect((await t.json('states', 'list', total.id, '--player', ann.id)).data).toMatchObject([{ value: 5 }]);

  const user = await t.json('users', 'create', 'dev@example.com', 'Dev');
  const made = await t.json(
    'keys',
    'create',
    'Build',
    '--user',
    'dev@example.com',
    '--expires-at',
    '2031-01-01',
  );
  expect(made).toMatchObject({ user_id: user.id, key: expect.stringMatching(/^svc_/) });
  expect(await t.out('keys', 'list')).not.toContain(made.key);
  expect(await t.json('keys', 'revoke', made.prefix, '--yes')).toMatchObject({ status: 'revoked' });
  expect(await t.json('users', 'suspend', user.id)).toMatchObject({ status: 'suspended' });

  expect((await t.out('games', 'delete', 'sky-race', '--yes')).startsWith('Deleted game.')).toBe(true);
  expect((await t.run(['boards', 'show', id])).code).toBe(1);
  expect(await t.json('games', 'restore', game.id)).toMatchObject({ slug: 'sky-race' });
  expect(await t.json('boards', 'show', id)).toMatchObject({ id });
});

full(
  'flags are decided and all runs of a player reviewed and restored, as the audit trail shows',
  async () => {
    const t = terminal;
    const game = await makeGame(studio);
    const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
    const { shortCode: code } = board;
    const [cheat, rival] = [
      await makePlayer(studio.admin, game.id, 'cheat'),
      await makePlayer(studio.admin, game.id, 'rival'),
    ];
    await play(studio.admin, board.id, rival, 500);
    // At once after each other: the checks of the game speak.
    await play(studio.admin, board.id, cheat, 900);
    await play(studio.admin, board.id, cheat, 900);
    const best = await play(studio.admin, board.id, cheat, 950);
    const standing = async () => {
      const { body } = await studio.admin.get(`/v1/scores?board_id=${board.id}`);
      return body.data.map(({ rank, value, status }: Data) => `${rank} ${value} ${status}`);
    };

    const raised = await t.out('flags', 'list', '--board', code, '--status', 'pending');
    expect(
      raised
        .trim()
        .split('\n')
        .toSorted((a, b) => a.slice(41).localeCompare(b.slice(41))),
    ).toEqual([
      expect.stringMatching(/^flg_[0-9a-f-]{36}\tduplicate\tmedium\tpending\t.*\b900\b.*$/),
      expect.stringMatching(
        /^flg_[0-9a-f-]{36}\tvelocity\thigh\tpending\t.*\b900, then 900\b.* 2 seconds .*$/,
      ),
      expect.stringMatching(
        /^flg_[0-9a-f-]{36}\tvelocity\thigh\tpending\t.*\b900, then 950\b.* 2 seconds .*$/,
      ),
    ]);
    const sure = ['--confidence', 'high', '--metadata', '{"seen": "on stream"}'];
    const flag = await t.json('flags', 'create', best, ...sure);
    expect(flag).toMatchObject({ flag_type: 'manual', confidence: 'high', metadata: { seen: 'on stream' } });
    const note = ['--reviewer-decision', 'A speed hack'];
    expect(await t.json('flags', 'review', flag.id, 'confirmed_cheat', ...note)).toMatchObject({
      status: 'confirmed_cheat',
      reviewer_decision: 'A speed hack',
      reviewer_id: studio.userId,
    });
    expect(await standing()).toEqual(['1 900 active', '2 500 active']);
    const shown = await t.out('flags', 'show', flag.id);
    expect(shown).toMatch(/^status +confirmed_cheat$/m);
    for (const [args, words] of [
      [['flags', 'review', flag.id], "missing required argument 'status'"],
      [['flags', 'review', flag.id, 'guilty'], 'pending, confirmed_cheat, false_positive, dismissed'],
    ] as const) {
      expect(await t.run([...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(words) });
    }
    expect(await t.json('flags', 'review', flag.id, 'dismissed')).toMatchObject({ status: 'dismissed' });
    expect((await standing())[0]).toBe('1 950 under_review');
    expect(await t.out('flags', 'delete', flag.id, '--yes')).toContain('Deleted flag.');
    expect(await t.run(['flags', 'show', flag.id])).toMatchObject({ code: 1 });
    await t.out('flags', 'restore', flag.id);

    const all = ['reviews', 'create', 'confirmed_cheat', '--player', cheat];
    const tried = await t.out(...all, '--dry-run');
    expect(tried.startsWith('Dry run. Nothing was changed.\n')).toBe(true);
    expect(tried).toMatch(/\nBOARD\t\w+\tMOVED\t.*\nbrd_\S+\t\d+\t2\t/);
    expect((await standing())[0]).toBe('1 950 under_review');
    expect((await t.json('reviews', 'list', '--player', cheat)).data).toEqual([]);
    const review = (await t.out(...all, '--reason', 'Seen on stream', '-q')).trim();
    expect(await t.json('reviews', 'show', review)).toMatchObject({
      identity_id: cheat,
      reason: 'Seen on stream',
      requested_by: studio.userId,
    });
    expect(await standing()).toEqual(['1 500 active']);
    expect(await t.out('reviews', 'list', '--player', cheat)).toMatch(
      new RegExp(`^${review}\tconfirmed_cheat\tapplied\t\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d\t${cheat}\n$`),
    );
    expect(await t.json('reviews', 'undo', review, '--yes')).toMatchObject({ status: 'undone' });
    expect((await standing())[0]).toBe('1 950 under_review');

    const trail = (await t.out('audit', 'list', '--subject', flag.id, '--sort', 'id:asc')).trim().split('\n');
    expect(trail.map((line) => line.split('\t').slice(1))).toEqual(
      ['flag_added', 'flag_reviewed', 'flag_reviewed', 'flag_deleted', 'flag_restored'].map((action) => [
        action,
        flag.id,
      ]),
    );
    const [last] = (await t.json('audit', 'list', '--action', 'runs_review_undone')).data;
    expect(last).toMatchObject({ subject_id: review, user_id: studio.userId });
    expect(await t.json('audit', 'show', last.id)).toEqual(last);
  },
);

quick('shells complete commands and options; in a script, what has to be confirmed needs --yes', async () => {
  const t = terminal;
  expect(await t.out('complete', '--', 'games', '')).toMatch(/^create\t/m);
  expect(await t.out('complete', '--', 'games', 'list', '--l')).toMatch(/^--limit\t/m);
  for (const shell of ['bash', 'zsh', 'fish'])
    expect(await t.out('completion', shell)).toContain('complete --');
  const id = '01890000-0000-7000-8000-000000000000';
  for (const words of [
    ['games', 'delete', 'no-such-game'],
    ['keys', 'revoke', `key_${id}`],
    ['players', 'end-sessions', `ide_${id}`],
    ['players', 'erase', `ide_${id}`],
  ]) {
    const { code, stderr } = await t.run(words);
    expect([code, stderr]).toEqual([2, `error: ${words[1]} needs --yes where it can't ask.\n`]);
  }
});

quick(
  'bash completes by itself, after its script was read twice, and runs nothing that was typed',
  async () => {
    const words = [
      ['ga'],
      ['games', 'list', '--l'],
      ['import', 'SKY', 'a.csv', '--decimal', 'p'],
      ['games', '$(touch evil)'],
    ];
    const calls = words.map((typed) => {
      const list = ['leaderboard', ...typed].map((word) => `'${word}'`).join(' ');
      return `COMP_WORDS=(${list}); COMP_CWORD=${typed.length}; _leaderboard_complete; echo "[\${COMPREPLY[*]}]"`;
    });
    const twice = 'eval "$(leaderboard completion bash)"\n'.repeat(2);
    const script = `leaderboard() { program "$@"; }\n${twice}${calls.join('\n')}\n`;
    writeFileSync(path.join(terminal.home, 'complete.sh'), script);
    const { stdout, stderr } = await terminal.shell('program() { leaderboard "$@"; }; . ./complete.sh; ls');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\[games\]\n\[--limit\]\n\[point\]\n\[\]\n/);
    expect(stdout).not.toContain('evil');
  },
);

quick(
  'requests go by the proxy of the environment, except to its exceptions and to this machine',
  async () => {
    const [secret, certificate] = ['key.pem', 'cert.pem'].map((name) => path.join(terminal.home, name)) as [
      string,
      string,
    ];
    execFileSync(
      'openssl',
      [
        ...[
          'req',
          '-x509',
          '-newkey',
          'ec',
          '-pkeyopt',
          'ec_paramgen_curve:prime256v1',
          '-nodes',
          '-days',
          '2',
        ],
        ...[
          '-subj',
          '/CN=test',
          '-addext',
          'subjectAltName=DNS:scores.example',
          '-keyout',
          secret,
          '-out',
          certificate,
        ],
      ],
      { stdio: 'pipe' },
    );
    const service = https.createServer(
      { key: readFileSync(secret), cert: readFileSync(certificate) },
      (req, res) => {
        const { method, headers, url } = req;
        req.pipe(
          http.request(`${app.url}${url}`, { method, headers }, (answer) => {
            res.writeHead(answer.statusCode!, answer.headers);
            answer.pipe(res);
          }),
        );
      },
    );
    const asked: string[] = [];
    const proxy = http.createServer().on('connect', (req, socket) => {
      asked.push(req.url!);
      const { port } = service.address() as AddressInfo;
      const through = net.connect(port, '127.0.0.1', () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
      through.pipe(socket).pipe(through);
      for (const end of [socket, through]) end.on('error', () => undefined);
    });
    await Promise.all([service, proxy].map((server) => once(server.listen(0, '127.0.0.1'), 'listening')));
    const { port } = proxy.address() as AddressInfo;
    const by = `http://127.0.0.1:${port}`;
    const far = {
      LEADERBOARD_API: 'https://scores.example',
      LEADERBOARD_API_KEY: key,
      HTTPS_PROXY: by,
      NODE_EXTRA_CA_CERTS: certificate,
    };
    const name = `Proxied ${unique()}`;
    try {
      expect(await terminal.run(['games', 'create', name], { env: far })).toMatchObject({
        code: 0,
        stderr: '',
      });
      expect(await terminal.run(['games', 'list', '--json'], { env: far })).toMatchObject({
        code: 0,
        stdout: expect.stringContaining(name),
      });
      expect(new Set(asked)).toEqual(new Set(['scores.example:443']));
      const count = asked.length;
      const apart = await terminal.run(['games', 'list'], { env: { ...far, NO_PROXY: 'scores.example' } });
      expect([apart.code, apart.stderr]).toEqual([1, expect.stringContaining('host not found')]);
      expect((await terminal.run(['games', 'list'], { env: { HTTP_PROXY: by, HTTPS_PROXY: by } })).code).toBe(
        0,
      );
      expect(asked).toHaveLength(count);
    } finally {
      for (const server of [service, proxy]) {
        server.closeAllConnections();
        server.close();
      }
    }
    const gone = await terminal.run(['games', 'list'], { env: far });
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('by the proxy of HTTPS_PROXY')]);
  },
);

quick('people and keys get roles, scopes and games by their slugs', async () => {
  const t = terminal;
  const { id, slug } = await makeGame(studio);
  const person = ['users', 'create', 'mod@example.com', 'Mo', '--role', 'moderator', '--games', slug];
  expect(await t.json(...person)).toMatchObject({ role: 'moderator', game_ids: [id] });
  const changed = await t.json('users', 'update', 'mod@example.com', '--role', 'viewer', '--clear', 'games');
  expect(changed).toMatchObject({ role: 'viewer', game_ids: null });
  const key = await t.json(
    'keys',
    'create',
    'Server',
    '--scopes',
    'submit',
    '--scopes',
    'read',
    '--game',
    slug,
  );
  expect(key).toMatchObject({ scopes: ['submit', 'read'], game_id: id });
  expect(await t.out('whoami')).toMatch(/role\s+admin\n.*rights\s+own, read/);
});

quick('views are declared and read: scores, places around a player, periods and groups', async () => {
  const t = terminal;
  const game = await makeGame(studio);
  const code: string = await t
    .json('boards', 'create', game.slug, 'Viewed', '--keep-strategy', 'best', ...VIEWS)
    .then(({ short_code }) => short_code);
  const player = await makePlayer(studio.admin, game.id, 'Ann');
  await t.json('scores', 'submit', code, player, '70', '--tags', '{"class": "mage"}', '--country', 'DE');
  expect(await t.out('boards', 'views', code)).toBe('weekly\tweek\t-\tlive\t-\nclass\t-\tclass\tlive\t-\n');
  const [week] = await t.json('boards', 'periods', code, 'weekly').then(({ data }) => data);
  expect(week).toMatchObject({ state: 'open', total: 1 });
  expect(await t.out('boards', 'groups', code, 'class')).toBe('mage\topen\t1\n');
  const rows = await t.json('scores', 'list', code, '--view', 'weekly', '--of', week.key);
  expect(rows.data).toMatchObject([{ view: 'weekly', of: week.key, rank: 1, value: 70 }]);
  const where = ['--view', 'class', '--where', 'class:mage'];
  expect(await t.out('scores', 'list', code, ...where)).toMatch(/^1\t.*\t70\t/);
  expect(await t.out('scores', 'around', code, '--player', player, ...where)).toMatch(/^>\t1\t/);
});
