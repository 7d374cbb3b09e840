import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { startApp, type TestApp } from '../support/app.js';
import { makeAlert } from '../support/flags.js';
import {
  blocksIn,
  documentText,
  type GuideCommands,
  guideCommands,
  keyWith,
  tourFunctions,
} from '../support/guide.js';
import type { Data } from '../support/http.js';
import { full } from '../support/lane.js';
import { makeBoard, makeGame, makeStudio, type Studio, startSession } from '../support/make.js';
import { PNG, WEBP } from '../support/pictures.js';
import { SCRATCH } from '../support/scratch.js';

// Commands of guides, line by line in one shell, with the functions of the README's tour and the least key that each guide names.

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const ROOT = path.resolve(__dirname, '../..');
const FUNCTIONS = tourFunctions('field', 'admin', 'session', 'client', 'nonce');
const TERMINAL = `leaderboard() { LEADERBOARD_API=\${LEADERBOARD_API:-$BASE} LEADERBOARD_API_KEY=$KEY "${process.execPath}" \
-r "${ROOT}/test/support/ts-require.cjs" "${ROOT}/clients/terminal/src/main.ts" "$@"; }`;

/** Runs the commands of a guide, each block with the key that is named for it. @returns what they printed */
async function follow(studio: Studio, blocks: GuideCommands[], env: Record<string, string>, cwd = ROOT) {
  const script = ['set -eu -o pipefail', ...FUNCTIONS, TERMINAL];
  for (const { scopes, needsKey, commands } of blocks) {
    if (needsKey) script.push(`KEY=${await keyWith(app, studio, scopes)} SECRET=$KEY`);
    script.push('trap "echo" DEBUG', commands, 'trap - DEBUG');
  }
  const all = { ...process.env, HOME: cwd, BASE: app.url, KEY: '', ACCOUNT: studio.accountId, ...env };
  const { stdout } = await promisify(execFile)('bash', ['-c', script.join('\n')], { env: all, cwd });
  const answers: Data[] = stdout
    .split('\n')
    .filter((line) => line.startsWith('{"'))
    .map((line) => JSON.parse(line));
  expect(answers.filter(({ code }) => code !== undefined)).toEqual([]);
  return answers;
}

test('the guide to views: every command answers, and the answers are those that it describes', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const answers = await follow(studio, guideCommands(documentText('docs/guides/views.md')), {
    GAME: game.id,
  });
  expect(answers).toHaveLength(21);
  const names = answers.map(({ data }) => data?.map((row: Data) => [row.view, row.player_name, row.value]));
  expect(names[2]).toEqual([
    ['daily', 'Bob', 1500],
    ['daily', 'Ann', 1200],
  ]);
  expect(names[10]).toEqual([['track', 'Ann', 91.5]]);
  expect(names[15]).toEqual([['guild', 'Ann', 700]]);
  expect(names[19]).toEqual([['puzzle', 'Ann', 61]]);
});

const NAKAMA = `COPY public.leaderboard_record (leaderboard_id, owner_id, username, score, subscore, num_score, metadata, \
create_time, update_time, expiry_time, max_num_score) FROM stdin;
weekly\tp1\tAnn\t120\t0\t1\t{}\t2024-03-01 10:00:00+00\t2024-03-01 10:00:00+00\t1970-01-01 00:00:00+00\t1000000
\\.
`;
const STEAM =
  '<response><totalLeaderboardEntries>1</totalLeaderboardEntries><entries><entry><steamid>7656</steamid><score>5</score></entry></entries></response>';
const FILES: Record<string, string | Uint8Array> = {
  'scores.csv': 'player,score\np1,5\n',
  'sheet.csv': 'player;Time\np2;1:12,340\n',
  'dump.sql': NAKAMA,
  'steam.xml': STEAM,
  'logo.png': PNG,
  'cover.webp': WEBP,
};

/** Commands that run until somebody ends them. */
const ENDLESS = /^.*webhooks listen.*$/m;

const GUIDES = readdirSync(path.join(ROOT, 'docs/guides'))
  .map((name) => `docs/guides/${name}`)
  .filter((file) => guideCommands(documentText(file)).some(({ needsKey }) => needsKey));

for (const file of GUIDES.filter((name) => name !== 'docs/guides/views.md')) {
  full(`${file}: its commands run with the key that it names`, async () => {
    const studio = await makeStudio(app);
    const game = await makeGame(studio, { slug: `game-${path.basename(file, '.md')}` });
    const board = await makeBoard(studio, game.id);
    const players = [];
    for (let i = 0; i < 3; i += 1) players.push(await startSession(app, game.id));
    const [own, ...others] = players.map(({ session }) => session.identityId);
    const dir = mkdtempSync(path.join(SCRATCH, 'guide-'));
    for (const [name, content] of Object.entries(FILES)) writeFileSync(path.join(dir, name), content);
    const filled = (commands: string): string => {
      let other = 0;
      return commands
        .replace(ENDLESS, '')
        .replaceAll(/https?:\/\/(localhost:3000|old\.example\.com|scores\.example\.com)/g, app.url)
        .replaceAll(/\bSKY\b/g, board.shortCode)
        .replaceAll(/\b(sky-race|moonlit-drift)\b/g, game.slug)
        .replaceAll(/(?<=identities\/|friends )ide_…/g, own)
        .replaceAll('ide_…', () => others[other++ % 2])
        .replaceAll('brd_…', board.id)
        .replaceAll('whk_…', '$HOOK')
        .replace(/^leaderboard webhooks create (.*)$/m, 'HOOK=$(leaderboard webhooks create $1 --quiet)')
        .replaceAll('LEADERBOARD_FROM_API_KEY=…', 'LEADERBOARD_FROM_API_KEY=$KEY');
    };
    const blocks = guideCommands(documentText(file)).filter(({ needsKey }) => needsKey);
    try {
      await follow(
        studio,
        blocks.map((block) => ({ ...block, commands: filled(block.commands) })),
        {
          GAME: game.id,
          ALERT: await makeAlert(app, studio.accountId, board),
          TOKEN: players[0]!.session.accessToken,
        },
        dir,
      );
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });
}

test('the tour of the README publishes a board that had no page; run twice, it stops at the name that is taken and says so', async () => {
  const lines = blocksIn(documentText('README.md')).join('').split('\n');
  const studio = lines.filter((line) => /^(ACCOUNT|OWNER|GAME|BOARD)=/.test(line));
  const publish = lines.filter((line) => /^CODE=/.test(line));
  const key = blocksIn(documentText('docs/getting-started.md')).filter((block) => block.includes('api-keys'));
  expect([studio.length, publish.length, key.length]).toEqual([4, 1, 1]);
  const code = 'CODE=$(admin $BASE/v1/boards/$BOARD | field .short_code)';
  const page = 'curl -s -o /dev/null -w "%{http_code}\\n" $BASE/b/$CODE';
  const ids = [...FUNCTIONS, ...studio, 'echo "$ACCOUNT $GAME $BOARD"'];
  const env = { ...process.env, BASE: app.url, KEY: app.superadmin.headers['service-api-key'] };
  const tour = (...more: string[]) =>
    promisify(execFile)('bash', ['-c', [...ids, ...more].join('\n')], { env });
  const first = await tour(code, page, ...publish, page, ...key);
  expect(first.stderr).toBe('');
  const [made, before, after, keyMade] = first.stdout.trim().split('\n');
  expect([made, before, after]).toEqual([expect.stringMatching(/^acc_\S+ gam_\S+ brd_\S+$/), '404', '200']);
  // The studio's own: it has a first user.
  const caller = app.anyone.with({ 'service-api-key': JSON.parse(keyMade!).key });
  expect((await caller.get('/v1/me')).body).toMatchObject({ rights: ['own', 'submit'] });
  const again = await tour();
  expect(again.stdout.trim()).toBe('');
  expect(again.stderr).toMatch(/^The tour stops here: .*name[^\n]*\n$/);
});
