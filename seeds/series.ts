import { RUN_TEMPLATES } from '../src/boards/templates/run.js';
import * as documents from './documents.js';
import { type Crew, historyOf, submitAll } from './history.js';
import type { Operator } from './operator.js';
import { Random } from './random.js';
import type { SeedSeries } from './shapes.js';

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** The present week, and those before it that are over. */
const WEEKS = 3;

/** The windows of a series. */
export interface Windows {
  repeatInterval: string;
  millis: number;
  /** Start of the first one, epoch milliseconds. */
  first: number;
}

/** Weeks from Monday on, in UTC, of which the last one is the present one. */
export function weeks(now: number): Windows {
  // The epoch began on a Thursday.
  const present = now - ((now + 3 * DAY_MS) % WEEK_MS);
  return { repeatInterval: '1 week', millis: WEEK_MS, first: present - (WEEKS - 1) * WEEK_MS };
}

/**
 * Plants a template with the boards of its windows and the runs of each; what its run would have made by now is made.
 * @returns the board of the present window, and how many submissions were made
 */
export async function plantSeries(
  operator: Operator,
  crew: Crew,
  { runs, play, ...template }: SeedSeries,
  now: number,
  { repeatInterval, millis, first }: Windows,
): Promise<{ boardId: string; submissions: number }> {
  const { accountId, gameId, game, players, identities } = crew;
  const present = async () => {
    const { board } = await operator.run<{ board: { id: string } }>(documents.FIND_BOARD, {
      gameSlug: game.slug,
      slug: template.slug,
    });
    return board.id;
  };
  const random = new Random(template.slug.length * 7_919);
  let submissions = 0;
  const { boardTemplates } = await operator.run<{ boardTemplates: { nodes: { name: string }[] } }>(
    documents.LIST_TEMPLATES,
    { gameId },
  );
  if (!boardTemplates.nodes.some(({ name }) => name === template.name)) {
    operator.time = first - DAY_MS;
    const nextRunAt = new Date(first).toISOString();
    const input = { ...template, accountId, gameId, repeatInterval, nextRunAt };
    await operator.run(documents.CREATE_TEMPLATE, { input });
    // Each window's board ends the one before it, so its runs come first.
    for (let from = first; from <= now; from += millis) {
      operator.time = from;
      await operator.work(RUN_TEMPLATES);
      const to = Math.min(from + millis - 1, now);
      const history = { boardId: await present(), board: { runs, play }, players, identities, from, to };
      submissions += await submitAll(operator, await historyOf(operator, history, random));
    }
  }
  operator.time = now;
  await operator.work(RUN_TEMPLATES);
  return { boardId: await present(), submissions };
}
