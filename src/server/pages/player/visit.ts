import { DomainError, notFound } from '../../../base/errors.js';
import type { PagePlace } from '../address.js';
import { factsOf } from '../board/board-visit.js';
import { playerPreview } from '../previews/player.js';
import type { Previews } from '../previews/previews.js';
import type { OfRanking, PageBoard, RunQuery } from '../queries.js';
import type { ShownScore } from '../ranking.js';
import { hashOf, redirectTo, type SharedPages } from '../send.js';
import type { Visit } from '../visit.js';
import type { PlayerFacts, PlayerPast, PlayerSplits, ViewEntry } from './facts.js';
import { NEIGHBOURS, playerPage } from './player-page.js';

type PlayerPlace = Extract<PagePlace, { kind: 'player' | 'playerPreview' }>;

/** A player's page; a player who is not on the board has none, and a merged one that of whom its runs count for. */
export async function visitPlayer(
  { ctx, run, frame, view }: Visit,
  { code, player }: PlayerPlace,
  pages: SharedPages,
): Promise<void> {
  if ('watch' in ctx.query) return watch(ctx, run, { code, player });
  const make = async () => {
    const board = await factsOf(run, { kind: 'code', code });
    const variables = { code, player, size: NEIGHBOURS };
    const facts = await run<PlayerFacts>('Player', 'publicBoard', variables);
    if (!facts.ranking.entry) throw notFound('Player');
    // Without the board's leave it is not even read.
    const past = board.publicFields.includes('HISTORY')
      ? await readPast(run, board, player, facts.entriesOf)
      : undefined;
    const splits = board.publicFields.includes('SPLITS')
      ? await run<PlayerSplits>('PlayerSplits', 'publicBoard', { code, player })
      : undefined;
    const page = playerPage(frame, board, view, { player, ...facts, past, splits });
    return { etag: `W/"${hashOf(page)}"`, page: async () => page };
  };
  try {
    await pages.send({ id: JSON.stringify([ctx.path, view]), board: code, ctx, make });
  } catch (error) {
    if (!isAbsent(error)) throw error;
    const { mergedPlayerId } = await run<{ mergedPlayerId: string | null }>('PlayerMerged', 'publicBoard', {
      ...{ code, player },
    });
    if (mergedPlayerId === null) throw error;
    redirectTo(ctx, mergedPlayerId + ctx.search);
  }
}

/** No such entry, and nothing around it. */
function isAbsent(error: unknown): boolean {
  return error instanceof DomainError && (error.code === 'NOT_FOUND' || error.code === 'INVALID_AROUND');
}

/** Leads to the studio's page of the player's run: its address is good for some minutes, a page may be open for longer. */
async function watch(
  ctx: Visit['ctx'],
  run: RunQuery,
  place: { code: string; player: string },
): Promise<void> {
  const { ranking } = await run<OfRanking<{ entry: { watchUrl: string | null } | null }>>(
    'PlayerWatch',
    'publicBoard',
    place,
  );
  const to = ranking.entry?.watchUrl;
  if (!to) throw notFound('Recording');
  ctx.set('cache-control', 'no-store');
  ctx.redirect(to);
}

interface Earlier {
  entry: ViewEntry | null;
}

/** A view has no period before its first. */
function noPeriod(error: unknown): OfRanking<Earlier> {
  if (error instanceof DomainError && error.code === 'INVALID_VIEW') return { ranking: { entry: null } };
  throw error;
}

/** What the board shows of the past. @param current entries in the current periods */
async function readPast(
  run: RunQuery,
  { shortCode: code, views }: PageBoard,
  player: string,
  current: readonly ViewEntry[],
): Promise<PlayerPast> {
  const earlier = views.flatMap(({ name: view, period, by, status }) => {
    const where = current.find(({ ranking }) => ranking.view === view)?.ranking.tags;
    // Of a view by tags, the group of the player.
    if (period === null || status !== 'LIVE' || (by.length > 0 && !where)) return [];
    const variables = { code, player, view, where: by.length > 0 ? where : null };
    return [run<OfRanking<Earlier>>('PlayerEarlier', 'publicBoard', variables).catch(noPeriod)];
  });
  const [past, ...rankings] = await Promise.all([
    run<Omit<PlayerPast, 'earlier'>>('PlayerPast', 'publicBoard', { code, player }),
    ...earlier,
  ]);
  return { ...past, earlier: rankings.flatMap(({ ranking: { entry } }) => entry ?? []) };
}

/** The picture of a player on a board. */
export async function visitPlayerPreview(
  { ctx, run }: Visit,
  { code, player }: PlayerPlace,
  previews: Previews,
): Promise<void> {
  const board = await factsOf(run, { kind: 'code', code });
  const { ranking } = await run<OfRanking<{ entryCount: number; entry: ShownScore | null }>>(
    'PlayerEntry',
    'publicBoard',
    { code, player },
  );
  if (!ranking.entry) throw notFound('Player');
  await previews.send(ctx, playerPreview(board, player, ranking.entry, ranking.entryCount));
}
