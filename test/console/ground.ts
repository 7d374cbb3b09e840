import { Caller, type Data } from '../support/http.js';

/** Names that pages must hold: a script, letters that turn the order, a mark without letters, the widest ones. */
export const HOSTILE = [
  '<img src=x onerror=alert(1)>',
  '\u202eevil\u202d name',
  'W'.repeat(64),
  '﷽'.repeat(20),
];

const NAMES = [
  ...[
    'Mira Solheim',
    'dr_drift',
    'Tariq',
    'Oskar B.',
    'night_owl',
    'Yuki',
    'Ada',
    'pelican',
    'Nils',
    'Chidi',
  ],
  ...HOSTILE,
];

/** An account with boards in every state, players, and flags that wait. */
export interface Ground {
  accountId: string;
  admin: Caller;
  colleague: Caller;
  /** Slug of the game that screens show, and of that whose flags wait. */
  slug: string;
  flooded: string;
  code: string;
  templateId: string;
  playerId: string;
}

const BATCH = 100;
const FLOOD_PLAYERS = 500;
const NO_LIMIT = { a: 'off', b: 'off', c: 'off' };

/**
 * Makes the ground through the interface alone.
 * @param flags pending ones of checks, about so many
 */
export async function makeGround(superadmin: Caller, flags: number): Promise<Ground> {
  const created = async (caller: Caller, place: string, body: Data): Promise<Data> => {
    const answer = await caller.post(`/v1/${place}`, body);
    if (answer.status !== 201) throw new Error(`${place}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const account = await created(superadmin, 'accounts', { name: 'Lantern Works' });
  const owner = { account_id: account.id };
  const person = async (name: string) => {
    const email = `${name.toLowerCase().replaceAll(' ', '.')}@example.com`;
    const user = await created(superadmin, 'users', { ...owner, email, display_name: name });
    const key = await created(superadmin, 'api-keys', { ...owner, user_id: user.id, name: 'Studio laptop' });
    return superadmin.with({ 'service-api-key': key.key });
  };
  const [admin, colleague] = [await person('Jonas Okafor'), await person('Mara Lindqvist')];
  const make = (place: string, body: Data) => created(admin, place, { ...owner, ...body });

  const game = await make('games', { name: 'Hollow Vault' });
  const of = { game_id: game.id, is_published: true };
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const board = await make('boards', { ...of, name: 'Main ladder', keep_strategy: 'best', unit: 'm' });
  await make('boards', {
    ...of,
    name: 'Winter sprint',
    keep_strategy: 'best',
    starts_at: day(3),
    ends_at: day(10),
  });
  await make('boards', {
    ...of,
    name: 'Autumn sprint',
    keep_strategy: 'best',
    ends_at: day(-1),
    starts_at: day(-8),
  });
  const wins = await make('boards', { ...of, name: 'Wins', board_type: 'counter' });
  const matches = await make('boards', { ...of, name: 'Matches', board_type: 'counter' });
  await make('boards', {
    ...of,
    name: 'Win rate',
    board_type: 'ratio',
    ratio_config: { numerator_board_id: wins.id, denominator_board_id: matches.id, display: 'percent' },
  });
  const template = await make('board-templates', {
    ...of,
    name: 'Harbour cup',
    name_template: 'Harbour cup, week {week}',
    repeat_interval: '1 weeks',
    keep_strategy: 'best',
    next_run_at: day(0),
  });
  const players: string[] = [];
  for (const name of NAMES) {
    const body = { game_id: game.id, kind: 'custom', external_key: name, display_name: name };
    players.push((await created(admin, 'identities', body)).id);
  }
  for (let round = 0; round < 6; round += 1) {
    const items = players.map((identity_id, n) => ({
      board_id: board.id,
      identity_id,
      value: Math.round(900 + 180 * Math.sin(7 * n + round) + 60 * round) * (n === 1 && round > 4 ? 40 : 1),
      player_name: NAMES[n],
      country: 'NO',
    }));
    await admin.post('/v1/score-events/batch', { items });
  }
  for (const [n, identity_id] of players.entries()) {
    const count = (board_id: string, value: number) =>
      admin.post('/v1/score-events', { board_id, identity_id, value, player_name: NAMES[n] });
    await count(wins.id, 3 + n);
    await count(matches.id, 20 + n);
  }
  const gone = await make('boards', { ...of, name: 'Old tower', keep_strategy: 'best' });
  await admin.data('mutation ($id: ID!) { deleteBoard(input: { id: $id }) { deletedId } }', { id: gone.id });
  const flooded = await flood(admin, account.id, flags);
  return {
    accountId: account.id,
    admin,
    colleague,
    slug: game.slug,
    flooded,
    code: board.short_code,
    templateId: template.id,
    playerId: players[1]!,
  };
}

/** A game in which every run but the first of each player is flagged. @returns its slug */
async function flood(admin: Caller, accountId: string, flags: number): Promise<string> {
  const { body: game } = await admin.post('/v1/games', {
    account_id: accountId,
    name: 'Flood',
    anti_cheat_settings: {
      rate_limit: NO_LIMIT,
      duplicate_seconds: NO_LIMIT,
      progression_percent: NO_LIMIT,
      outlier_z: NO_LIMIT,
      velocity_seconds: { a: 3_600, b: 3_600, c: 3_600 },
    },
  });
  const { body: board } = await admin.post('/v1/boards', {
    account_id: accountId,
    game_id: game.id,
    name: 'Rising water',
    keep_strategy: 'best',
  });
  const players: string[] = [];
  for (let n = 0; n < Math.min(FLOOD_PLAYERS, Math.max(1, flags)); n += 1) {
    const body = {
      game_id: game.id,
      kind: 'custom',
      external_key: `swimmer ${n}`,
      display_name: `Swimmer ${n}`,
    };
    players.push((await admin.post('/v1/identities', body)).body.id);
  }
  const total = flags === 0 ? 0 : flags + players.length;
  for (let from = 0; from < total; from += BATCH) {
    const items = Array.from({ length: Math.min(BATCH, total - from) }, (_, i) => {
      const n = (from + i) % players.length;
      return { board_id: board.id, identity_id: players[n], value: from + i, player_name: `Swimmer ${n}` };
    });
    const { status, body } = await admin.post('/v1/score-events/batch', { items });
    if (status !== 200) throw new Error(`batch: ${status} ${JSON.stringify(body).slice(0, 300)}`);
  }
  return game.slug;
}
