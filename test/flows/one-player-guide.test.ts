import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { transformSync } from '@swc/core';
import { LANGUAGES } from '../../clients/conformance/languages.js';
import { startApp, type TestApp } from '../support/app.js';
import { blocksIn, documentText } from '../support/guide.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';
import { SCRATCH } from '../support/scratch.js';

// The guide "One player on every device" as it is printed: its lines of games against the service, with platforms that answer as
// their documents say.

const ROOT = path.resolve(__dirname, '../..');
const GUIDE = documentText('docs/guides/one-player.md');
const SECRET = 'a-secret-of-the-login-of-this-guide';
const TICKET = '14000000c0ffee'.repeat(20);
const STEAM_ID = '76561197960287930';

const dir = mkdtempSync(path.join(SCRATCH, 'one-player-'));
let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
beforeAll(async () => {
  app = await startApp(
    {},
    {
      playerProviders: {
        fetch: async (address) => {
          const { host, searchParams: asked, pathname } = new URL(address);
          if (host === 'partner.steam-api.com') {
            const isKnown = asked.get('ticket') === TICKET && asked.get('identity') === 'skyrace';
            const params = { result: 'OK', steamid: STEAM_ID, ownersteamid: STEAM_ID };
            const error = { errorcode: 101, errordesc: 'Invalid ticket' };
            return Response.json({ response: isKnown ? { params } : { error } });
          }
          if (pathname.endsWith('/token')) return Response.json({ access_token: 'a', token_type: 'Bearer' });
          return Response.json({ id: '80351110224678912', username: 'nelly' });
        },
      },
    },
  );
  // The logins of the guide read the clock of their own server.
  app.clock.advance(Date.now() - app.clock.now());
  studio = await makeStudio(app);
  game = await makeGame(studio);
  board = await makeBoard(studio, game.id);
  const signed = { kind: 'signed', audiences: ['skyrace'], secret: SECRET };
  for (const provider of [
    ...['apple', 'google', 'login'].map((slug) => ({ slug, ...signed })),
    { slug: 'steam', kind: 'steam', client_id: '480', secret: 'PUBLISHERKEY', steam_identity: 'skyrace' },
    { slug: 'discord', kind: 'discord', client_id: '1', secret: 'SECRET' },
  ]) {
    const of = { account_id: studio.accountId, game_id: game.id };
    const { status, body } = await studio.admin.post('/v1/player-providers', { ...of, ...provider });
    expect([status, body.code]).toEqual([201, undefined]);
  }
});
afterAll(async () => {
  await app.close();
  rmSync(dir, { recursive: true, force: true });
});

const plain = (code: string) =>
  transformSync(code, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    module: { type: 'es6' },
  }).code;

test('in TypeScript, each sign-in proves a player, and both players of a conflict are shown', async () => {
  const client = path.join(ROOT, 'clients/typescript/dist');
  const [play, platforms, token, link] = blocksIn(GUIDE, 'ts');
  const lines = [play, platforms, token, link]
    .join('\n')
    .replaceAll("'leaderboard-client'", `'${client}/client.js'`)
    .replaceAll("'leaderboard-client/players'", `'${client}/players.js'`)
    .replace('new Leaderboard({', 'new Leaderboard({ device, storage,');
  const known = await startSession(app, game.id);
  await submit(known, board.id, 70);
  const file = path.join(dir, 'game.mjs');
  writeFileSync(
    file,
    plain(`import { memoryStorage } from '${client}/client.js';
const { BASE, GAME, BOARD, SECRET, TICKET, device } = JSON.parse(process.argv[2]);
const storage = memoryStorage();
const [GOOGLE_CLIENT, DISCORD_CLIENT, LOGIN, PASSWORD] = ['g', 'd', 'http://login.test', 'p'];
let asked;
let wants = false;
const playerWants = async (standings) => {
  asked = standings;
  return wants;
};
const ticketFor = (identity) => ({ getBytes: () => Buffer.from(identity === 'skyrace' ? TICKET : '', 'hex') });
const steam = { auth: { getAuthTicketForWebApi: async (identity) => ticketFor(identity) } };
const AppleID = { auth: { signIn: async () => ({ authorization: { id_token: tokenFor('apple ann') } }) } };
let initialized;
const google = { accounts: { id: {
  initialize: (options) => { initialized = options; },
  prompt: () => { said.google = initialized.callback({ credential: tokenFor('google ann') }); },
} } };
const discord = { commands: { authorize: async ({ scope }) => ({ code: 'code-for-' + scope }) } };
const ownFetch = globalThis.fetch;
const fetch = (address, ...rest) =>
  address === LOGIN ? Promise.resolve(Response.json({ token: tokenFor('ann') })) : ownFetch(address, ...rest);
const said = {};
${lines}
await leaderboard.submit({ boardId: BOARD, value: 50 });
const before = await leaderboard.player();
await withOwnLogin();
await withSteam();
await withApple();
withGoogle();
await said.google;
await withDiscord();
const after = await leaderboard.player();
// Another device's guest has runs, and proves to be Ann.
const other = new Leaderboard({ url: BASE, gameId: GAME, device: device + ' 2', storage: memoryStorage(), playerName: 'Guest' });
await other.submit({ boardId: BOARD, value: 60 });
const code = (await linkCode(leaderboard)).code;
const conflict = await redeem(other, code, { onConflict: 'refuse', boardIds: [BOARD] }).catch((error) => error);
await showCode();
const linked = await redeem(other, (await linkCode(leaderboard)).code);
const [was, is, other2] = [before, after, linked].map(({ identityId }) => identityId);
const refused = [conflict.code, conflict.details[0].standings.proven.value];
console.log(JSON.stringify({ before: was, after: is, linked: other2, conflict: refused }));
process.exit();
`),
  );
  const constants = {
    BASE: app.url,
    GAME: game.id,
    BOARD: board.id,
    SECRET,
    TICKET,
    device: 'laptop of Ann',
  };
  const { stdout } = await promisify(execFile)(process.execPath, [file, JSON.stringify(constants)]);
  const said = JSON.parse(stdout.trim().split('\n').at(-1)!);
  expect(said).toMatchObject({ after: said.before, linked: said.before, conflict: ['PLAYER_CONFLICT', 50] });
  const { identity } = await studio.admin.data(
    'query ($id: ID!) { identity(id: $id) { proofs { provider subject } } }',
    { id: said.before },
  );
  expect(identity.proofs.map(({ provider }: Data) => provider).toSorted()).toEqual([
    'apple',
    'discord',
    'google',
    'login',
    'steam',
  ]);
});

const hasMono = LANGUAGES.csharp.needs.every((file) => existsSync(file));

/** Declarations of the platforms' packages, as their documents have them. */
const PLATFORMS = `
namespace Steamworks
{
    public struct GetTicketForWebApiResponse_t { public byte[] m_rgubTicket; public int m_cubTicket; }
    public sealed class Callback<T>
    {
        public delegate void DispatchDelegate(T param);
        public static Callback<T> Create(DispatchDelegate func) { return new Callback<T>(); }
    }
    public static class SteamUser { public static uint GetAuthTicketForWebApi(string identity) { return 0; } }
}
namespace AppleAuth.Enums { public enum LoginOptions { None } }
namespace AppleAuth.Interfaces
{
    public interface ICredential { string User { get; } }
    public interface IAppleIDCredential : ICredential { byte[] IdentityToken { get; } }
    public interface IAppleError { }
}
namespace AppleAuth
{
    public struct AppleAuthLoginArgs { public AppleAuthLoginArgs(Enums.LoginOptions options) { } }
    public interface IAppleAuthManager
    {
        void LoginWithAppleId(
            AppleAuthLoginArgs args, System.Action<Interfaces.ICredential> success, System.Action<Interfaces.IAppleError> error);
    }
}
namespace Apple.GameKit
{
    public class GKIdentityVerificationResponse
    {
        public string PublicKeyUrl { get; set; }
        public ulong Timestamp { get; set; }
        public byte[] GetSignature() { return null; }
        public byte[] GetSalt() { return null; }
    }
    public class GKLocalPlayer
    {
        public static GKLocalPlayer Local { get; set; }
        public string TeamPlayerId { get; set; }
        public System.Threading.Tasks.Task<GKIdentityVerificationResponse> FetchItems() { return null; }
    }
}
namespace GooglePlayGames
{
    public class PlayGamesPlatform
    {
        public static PlayGamesPlatform Instance { get; set; }
        public void RequestServerSideAccess(bool forceRefreshToken, System.Action<string> callback) { }
    }
}
`;

(hasMono ? test : test.skip)(
  'in C#, the lines fit the client and the platforms, and the token of the own login proves a player',
  async () => {
    execFileSync(LANGUAGES.csharp.command[0]!, ['--build'], { cwd: ROOT });
    const library = 'LeaderboardClient.dll';
    cpSync(path.join(ROOT, 'clients/csharp/dist~', library), path.join(dir, library));
    const lines = blocksIn(GUIDE, 'csharp').join('\n').split('\n');
    const uses = [...new Set(lines.filter((line) => line.startsWith('using ') && line.endsWith(';')))];
    // Mono's compiler has no local functions: they are members of a class here.
    const members = lines
      .filter((line) => !uses.includes(line))
      .join('\n')
      .replace(/^(?=(async )?(Task|void|string) )/gm, 'static ')
      .replace('var leaderboard =', 'static readonly Leaderboard leaderboard =');
    writeFileSync(
      path.join(dir, 'Game.cs'),
      `${uses.join('\n')}
public static class Game
{
    const string BASE = "http://127.0.0.1", GAME = "gam_1", BOARD = "brd_1", LOGIN = "http://127.0.0.1", SECRET = "${SECRET}";
    static Task<bool> PlayerWants(IReadOnlyList<ConflictStandings> standings) { return Task.FromResult(standings.Count > 0); }
${members}
    public static void Main()
    {
        Console.WriteLine(TokenFor("carl"));
        Environment.Exit(0);
    }
}
${PLATFORMS}`,
    );
    const options = ['-langversion:7', '-r:LeaderboardClient.dll', '-r:System.Net.Http.dll'];
    execFileSync('mcs', [...options, 'Game.cs'], { cwd: dir });
    const { stdout } = await promisify(execFile)('mono', ['Game.exe'], { cwd: dir });
    const token = stdout.trim().split('\n').at(-1)!;
    const { body: list } = await studio.admin.get(`/v1/player-providers?game_id=${game.id}`);
    const { id } = list.data.find(({ slug }: Data) => slug === 'login');
    const answer = await studio.admin.post(`/v1/player-providers/${id}/test`, { token });
    expect(answer.body).toEqual({ is_accepted: true, subject: 'carl', reason: null });
  },
);
