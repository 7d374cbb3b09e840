// The commands of the conformance suite (clients/conformance/README.md, "Protocol"), for Node and browsers.
import { Leaderboard } from '../dist/client.js';
import { watch, watchOvertaken, watchRank, watchRewards } from '../dist/live.js';
import {
  friends,
  friendsRanking,
  linkCode,
  me,
  prove,
  rankingOf,
  redeem,
  setTags,
  tags,
  unlinkDevice,
} from '../dist/players.js';
import { fetchTickets, startRun } from '../dist/runs.js';

const clients = new Map();
const watches = new Map();
/** Runs that are being played, by the name that the scenario has for each. */
const runs = new Map();
/** Commands that run, by their number. */
const running = new Map();

const place = ({ items, hasNext }) => ({
  ranks: items.map(({ rank }) => rank),
  values: items.map(({ value }) => value),
  names: items.map(({ playerName }) => playerName),
  has_next: hasNext,
});

const resultOf = ({ status, run, rank, previousRank, kept, isPersonalBest, held, score, error }) => ({
  status,
  key: run.key,
  ...(status === 'ranked'
    ? { rank, previous_rank: previousRank, kept, is_personal_best: isPersonalBest, held, value: score.value }
    : { code: error?.code, message: error?.message }),
});

const among = (items) => ({
  among_ranks: items.map(({ amongRank }) => amongRank),
  names: items.map(({ playerName }) => playerName),
});

async function allOf(pages) {
  const all = [];
  for await (const { items } of pages) all.push(...items);
  return all;
}

const playerOf = ({ identityId, displayName, mergeRefused }) => ({
  ...{ identity_id: identityId, display_name: displayName, merge_refused: mergeRefused },
});

const meOf = ({ identityId, deviceId, proofs, devices, mergedPlayerIds }) => ({
  ...{ identity_id: identityId, device_id: deviceId, accounts: proofs.map(({ provider }) => provider) },
  ...{ devices: devices.length, merged: mergedPlayerIds },
  linked: devices.filter(({ isLinked }) => isLinked).map((device) => device.deviceId),
});

const choiceOf = ({ on_conflict: onConflict, board_ids: boardIds }) => ({ onConflict, boardIds });

/** Values of both players on the boards that the request named. */
const standingsOf = (details = []) =>
  details.flatMap(({ standings }) =>
    standings ? [[standings.current?.value, standings.proven?.value]] : [],
  );

const claimOf = ({ status, rewardId, reward, isNew, error }) => ({
  status,
  reward_id: rewardId,
  ...(status === 'claimed'
    ? { is_new: isNew, line: reward.line }
    : { code: error?.code, message: error?.message }),
});

const faultyOnes = new WeakMap();

/** A storage that fails as a scenario says (README.md, command `storage`); one for its users, who share its locks. */
function faulty(storage, stuck) {
  const faulted = faultyOnes.get(storage) ?? { fault: undefined };
  if (faultyOnes.has(storage)) return faulted;
  faultyOnes.set(storage, faulted);
  const isFile = (name) => /recordings\.\d$/.test(name);
  return Object.assign(faulted, {
    getItem: async (name) => {
      if (faulted.fault === 'unreadable' && name.endsWith('recordings'))
        throw new Error('The storage is away');
      return storage.getItem(name);
    },
    setItem: async (name, value) => {
      if (faulted.fault !== 'stuck' || !isFile(name)) return storage.setItem(name, value);
      stuck();
      return new Promise(() => undefined);
    },
    removeItem: async (name) => storage.removeItem(name),
  });
}

/**
 * @param storageAt the storage of a folder's name
 * @param say writes one line
 * @param locksAt the locks of its users
 */
export function commands(storageAt, say, locksAt = () => undefined) {
  const open = ({ client, ...options }) => {
    const name = client;
    let offset = options.clock_offset_ms ?? 0;
    let ahead = 0;
    const proofs = (options.proofs ?? []).map((proof) => ({ ...proof, ...choiceOf(proof) }));
    const stored = storageAt(options.storage);
    const storage = faulty(stored, () => say({ event: 'storage', client: name, fault: 'stuck' }));
    const leaderboard = new Leaderboard({
      url: options.url,
      gameId: options.game_id,
      device: options.device,
      playerName: options.player_name,
      proof: () => proofs.shift(),
      testMode: options.test_mode,
      storage,
      locks: locksAt(options.storage),
      clock: { now: () => Date.now() + offset, elapsed: () => performance.now() + ahead },
      timeoutMs: options.timeout_ms,
      deadlineMs: options.deadline_ms,
      retry: { firstMs: options.retry_first_ms, mostMs: options.retry_most_ms },
      ...(options.queue_limit && { queueLimit: options.queue_limit }),
      onResult: (result) => say({ event: 'result', client: name, ...resultOf(result) }),
      onDropped: (run, { code }) =>
        say({ event: 'dropped', client: name, key: run.key, value: run.value, code }),
      onClaim: (result) => say({ event: 'claim', client: name, ...claimOf(result) }),
      onRecording: ({ key, status, error }) =>
        say({ event: 'recording', client: name, key, status, code: error?.code }),
      onTrouble: ({ code, message }) => say({ event: 'trouble', client: name, code, message }),
    });
    const turn = ({ offset_ms = offset, elapsed_ms = ahead }) => {
      offset = offset_ms;
      ahead = elapsed_ms;
    };
    clients.set(name, { leaderboard, turn, storage });
    return {};
  };

  const follow = async ({ watch: id, ...options }, leaderboard) => {
    const ending = new AbortController();
    watches.set(id, ending);
    const hearing = async () => {
      for await (const { id: reward_id, line } of watchRewards(leaderboard, { signal: ending.signal }))
        say({ event: 'reward', watch: id, reward_id, line });
    };
    const told = (event, { entry, previousRank }, more) =>
      say({ event, watch: id, rank: entry?.rank, previous_rank: previousRank, ...more });
    const ranking = async () => {
      for await (const state of watchRank(leaderboard, options.board_id, { signal: ending.signal })) {
        const { nextAbove, gapToNext } = state;
        told('rank', state, { next_above: nextAbove?.playerName, gap_to_next: gapToNext });
      }
    };
    const passed = async () => {
      for await (const state of watchOvertaken(leaderboard, options.board_id, { signal: ending.signal })) {
        const { by, count } = state;
        told('overtaken', state, { by: by.map(({ playerName }) => playerName), count });
      }
    };
    const reading = async () => {
      if (options.do === 'watch_rewards') return hearing();
      if (options.do === 'watch_rank') return ranking();
      if (options.do === 'watch_overtaken') return passed();
      const { board_id, limit, around } = options;
      for await (const board of watch(leaderboard, board_id, { limit, around, signal: ending.signal })) {
        const { ranks, values, names } = place({ items: board.scores });
        say({
          event: 'state',
          watch: id,
          version: board.version,
          entry_count: board.entryCount,
          ranks,
          values,
          names,
        });
      }
    };
    reading().then(
      () => say({ event: 'watch_ended', watch: id }),
      ({ code, message }) => say({ event: 'watch_ended', watch: id, code, message }),
    );
    return {};
  };

  const work = async (command, signal) => {
    const { board_id, limit } = command;
    if (command.do === 'open') return open(command);
    if (command.do === 'cancel') return running.get(command.target)?.abort() ?? {};
    if (command.do === 'unwatch') return watches.get(command.watch)?.abort() ?? {};
    const { leaderboard, turn, storage } = clients.get(command.client);
    switch (command.do) {
      case 'player':
        return playerOf(await leaderboard.player({ signal }));
      case 'session':
        return playerOf(await leaderboard.session(command.tokens));
      case 'prove': {
        const { provider, token } = command;
        return playerOf(await prove(leaderboard, { provider, token, ...choiceOf(command) }, { signal }));
      }
      case 'link_code':
        return { code: (await linkCode(leaderboard, { signal })).code };
      case 'redeem':
        return playerOf(await redeem(leaderboard, command.code, { ...choiceOf(command), signal }));
      case 'me':
        return meOf(await me(leaderboard, { signal }));
      case 'unlink':
        return { count: await unlinkDevice(leaderboard, command.device_id, { signal }) };
      case 'prepare':
        return (await leaderboard.prepare({ signal })) ?? {};
      case 'submit': {
        const { value, player_name, value_display, metadata, tags, key, deadline_ms } = command;
        const submission = {
          ...{ boardId: board_id, value, metadata, tags, key },
          ...(player_name !== undefined && { playerName: player_name }),
          ...(value_display !== undefined && { valueDisplay: value_display }),
        };
        return resultOf(await leaderboard.submit(submission, { deadlineMs: deadline_ms, signal }));
      }
      case 'start_run': {
        const { run: name, game_version: gameVersion, deadline_ms: deadlineMs } = command;
        const run = await startRun(leaderboard, board_id, { gameVersion, deadlineMs, signal });
        runs.set(name, run);
        const { counts, seed, attempt, attemptsLeft, error } = run;
        return { counts, has_seed: seed !== null, attempt, attempts_left: attemptsLeft, code: error?.code };
      }
      case 'begin':
      case 'pause':
      case 'resume':
      case 'split':
        runs.get(command.run)[command.do]();
        return {};
      case 'finish': {
        const { run, value, key, recording, deadline_ms } = command;
        const file = recording && {
          recording: Uint8Array.from(recording.match(/../g), (hex) => parseInt(hex, 16)),
        };
        const finish = { value, key, ...file };
        return resultOf(await runs.get(run).finish(finish, { deadlineMs: deadline_ms, signal }));
      }
      case 'fetch_tickets':
        return { tickets: await fetchTickets(leaderboard, board_id, command.count, { signal }) };
      case 'flush':
        return { waiting: await leaderboard.flush({ deadlineMs: command.deadline_ms }) };
      case 'waiting':
        return { values: (await leaderboard.waiting()).map(({ value }) => value) };
      case 'top':
        return place(await leaderboard.top(board_id, { limit, signal }));
      case 'all': {
        const pages = [];
        for await (const page of leaderboard.scores(board_id, { limit, signal })) pages.push(page);
        return { pages: pages.length, ...place({ items: pages.flatMap(({ items }) => items) }) };
      }
      case 'boards': {
        const names = [];
        const { game_id: gameId, is_active: isActive } = command;
        for await (const { items } of leaderboard.boards({ gameId, isActive, limit, signal }))
          names.push(...items.map(({ name }) => name));
        return { names };
      }
      case 'board':
        return { id: (await leaderboard.board(board_id, { signal })).id };
      case 'mine': {
        const score = await leaderboard.mine(board_id, { signal });
        return { rank: score?.rank, value: score?.value };
      }
      case 'around': {
        const page = await leaderboard.around(board_id, { limit, signal });
        return { ...place(page), my_rank: page.mine?.rank };
      }
      case 'around_value':
        return place(await leaderboard.aroundValue(board_id, command.value, { limit, signal }));
      case 'rewards': {
        const pages = [];
        for await (const page of leaderboard.rewards({ limit, signal })) pages.push(page.items);
        return { pages: pages.length, statuses: pages.flat().map(({ status }) => status) };
      }
      case 'claim':
        return claimOf(
          await leaderboard.claim(command.reward_id, { deadlineMs: command.deadline_ms, signal }),
        );
      case 'friends': {
        const items = await allOf(friends(leaderboard, { limit, signal }));
        return { names: items.map(({ displayName }) => displayName) };
      }
      case 'friends_ranking':
        return among(await allOf(friendsRanking(leaderboard, board_id, { limit, signal })));
      case 'ranking_of':
        return among(await allOf(rankingOf(leaderboard, board_id, command.player_ids, { limit, signal })));
      case 'tags':
        return { tags: await tags(leaderboard, { signal }) };
      case 'set_tags': {
        const changed = Object.entries(command.tags).map(([name, value]) => [
          name,
          value === '' ? null : value,
        ]);
        return { tags: await setTags(leaderboard, Object.fromEntries(changed), { signal }) };
      }
      case 'watch_rank':
      case 'watch_overtaken':
      case 'watch_rewards':
      case 'watch':
        return follow(command, leaderboard);
      case 'clock':
        return turn(command) ?? {};
      case 'storage':
        storage.fault = command.fault;
        return {};
      case 'close':
        await leaderboard.close();
        return {};
      default:
        throw Object.assign(new Error(command.do), { code: 'UNKNOWN_COMMAND' });
    }
  };

  /** Takes one command and says its answer. */
  return async (command) => {
    const { id } = command;
    const ending = new AbortController();
    running.set(id, ending);
    try {
      say({ id, result: await work(command, ending.signal) });
    } catch (error) {
      const { code = error.name, message, details } = error;
      say({ id, error: { code, message, standings: standingsOf(details) } });
    } finally {
      running.delete(id);
    }
  };
}
