import { notFound } from '../../../base/errors.js';
import { packageVersion } from '../../../base/package.js';
import type { PagePlace, PageView } from '../address.js';
import { verifiedValues } from '../details.js';
import type { PageFrame } from '../layout.js';
import { lifeOf } from '../life.js';
import { pictureOrigins, readPageClosings, type ShownClosings } from '../prizes/facts.js';
import { type PageBoard, type RunQuery, readPageScores } from '../queries.js';
import type { ShownScore } from '../ranking.js';
import { hashOf } from '../send.js';
import { type PageRanking, shownRanking } from '../views/address.js';
import type { ShownView } from '../views/facts.js';
import { isDropped } from '../views/pickers.js';
import { readView, readViewScores } from '../views/reads.js';
import type { Visit } from '../visit.js';
import { renderBoardPage } from './board-page.js';
import { timeLeft } from './head.js';

export type BoardPlace = Extract<PagePlace, { kind: 'board' | 'code' }>;

/** @throws DomainError NOT_FOUND */
export async function factsOf(run: RunQuery, place: BoardPlace): Promise<PageBoard> {
  const operation = place.kind === 'code' ? 'BoardOfCode' : 'BoardOfSlug';
  const facts = await run<PageBoard>(operation, 'publicBoard', place);
  if (facts.game === null) throw notFound('Board');
  return facts;
}

/** A board's page, and its tag. @throws DomainError */
export async function boardPage(visit: Visit, place: BoardPlace) {
  const { run, view, frame } = visit;
  const facts = await factsOf(run, place);
  const { from, size } = view;
  const ranking = shownRanking(facts, view);
  if (ranking) return viewPage(visit, facts, ranking);
  const closings = frame.variant === 'overlay' ? undefined : await readPageClosings(run, facts, view);
  const read = () => readPageScores(run, facts, { code: facts.shortCode, from, size });
  const marked = facts.hasVerdicts ? await read() : undefined;
  const page = async () => renderBoardPage(frame, facts, view, { ...(marked ?? (await read())), closings });
  return { etag: etagOf(facts, view, frame, closings, marked), page, ...originsOf(facts, frame, closings) };
}

/** The page of a ranking of a view: its tag names the period, which ends without a change of the board. */
async function viewPage({ run, view, frame, now }: Visit, facts: PageBoard, place: PageRanking) {
  const ranking = await readView(run, facts, place, now, () => notFound('View'));
  const isListed = ranking.isChosen && !isDropped(ranking);
  const none = { scores: [], entryCount: 0, leader: undefined };
  const closings =
    frame.variant === 'overlay' ? undefined : await readPageClosings(run, facts, view, ranking);
  const read = async () => (isListed ? readViewScores(run, facts.shortCode, ranking, view) : none);
  const marked = facts.hasVerdicts ? await read() : undefined;
  const page = async () =>
    renderBoardPage(frame, facts, view, { ...(marked ?? (await read())), ranking, closings });
  return {
    etag: etagOf(facts, view, frame, closings, marked, ranking),
    page,
    ...originsOf(facts, frame, closings),
  };
}

/** What others' pages and pictures have to do with a board's page. */
function originsOf({ game }: PageBoard, { variant }: PageFrame, closings: ShownClosings | undefined) {
  const framers = variant === 'overlay' ? game.overlayOrigins : [];
  return { pictures: pictureOrigins(closings), framers };
}

/**
 * Returns the tag of the board's version and of all other content. Verdicts change no version: on boards that take them, the marks of the
 * shown scores are in it. Read before the scores, which are then at least as
 * new; a page that has become newer has another tag.
 */
function etagOf(
  facts: PageBoard,
  view: PageView,
  frame: PageFrame,
  closings: ShownClosings | undefined,
  marked: { scores: ShownScore[] } | undefined,
  ranking?: ShownView,
): string {
  const { secondsToStart: _start, secondsToEnd: _end, version, ...lasting } = facts;
  const time = timeLeft(lifeOf(facts, ranking));
  const shown = ranking && { ...ranking, readAt: undefined };
  return `W/"${version}-${hashOf(lasting, time, view, frame, shown, closings, marked && verifiedValues(marked.scores), packageVersion)}"`;
}
