import type { Knex } from 'knex';
import { Account } from '../../accounts/account.js';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { Board } from '../../boards/board/board.js';
import { loadBoard } from '../../boards/board/read.js';
import { addBoard } from '../../boards/board/save.js';
import { type ClosingRule, declareClosings } from '../../boards/closing-rules/closing-rule.js';
import { settingsIn } from '../../boards/templates/template.js';
import { declareViews } from '../../boards/views/declare.js';
import type { ViewRow } from '../../boards/views/rows.js';
import { storedViews } from '../../boards/views/rows.js';
import { type Declaration, invalidView, ruleOf } from '../../boards/views/rules.js';
import { runStatement } from '../../db/pool.js';
import { requireAccount } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { Closing } from '../closing.js';
import { setClaimed } from '../rewards/save.js';
import { forgetDeleted } from './forget.js';

/** Entries that a copy plays with, from the first on: enough for every prize that is worth a look. */
const MOST_ENTRIES = 1_000;
const LONGEST_NAME = 100;
/** Copies whose rows are kept. */
const MOST_OF_BOARD = 5;
const MOST_OF_ACCOUNT = 20;
/** Closings in the answer. */
const MOST_SHOWN = 100;

const PLAY = 'select rehearsal_plays(?, ?, ?, ?, ?)';
const END = 'select rehearsal_ends(?, ?, ?, ?, ?)';
const FIRST_REWARDS = 'select w.id from rewards w where w.board_id = ? and w.rank = 1 and w.status = ?';

interface Rehearsal {
  source: Board;
  copy: string;
  closings: Closing[];
}

/**
 * Plays a ranking to its end on a copy of its board, which nobody but administrators sees: the copy's runs and rewards are those of
 * test sessions, no webhook is sent, and nothing of the board changes.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION, WRONG_BOARD_TYPE, INVALID_VIEW, CONFLICT (too many copies)
 */
export async function rehearse(
  context: Context,
  mostGrants: number,
  { id, view }: { id: string; view?: string | null },
): Promise<Rehearsal> {
  const source = await loadBoard(context, id);
  requireAccount(context, source);
  const rule = ruleToTry(source, view ?? null);
  const now = new Date(context.clock());
  return auditedWrite(context, async (trx) => {
    await makeRoom(trx, source, now);
    const views = await viewsToTry(trx, source, rule.view);
    const { id: copy } = await makeCopy(trx, source, rule, views, now);
    const names = [uuidOf(copy), uuidOf(id), rule.view ?? '', now];
    await runStatement(trx, PLAY, [...names, MOST_ENTRIES]);
    await runStatement(trx, END, [...names, mostGrants]);
    await claimFirst(trx, copy, now);
    const closings = await Closing.query(trx)
      .where({ board_id: uuidOf(copy), is_test: true })
      .orderBy('group_key')
      .limit(MOST_SHOWN);
    return { source, copy, closings };
  });
}

/** Copies of an account are counted and made one after another. @throws DomainError CONFLICT */
async function makeRoom(trx: Knex.Transaction, { id, accountId }: Board, now: Date): Promise<void> {
  await Account.query(trx).findById(uuidOf(accountId)).forNoKeyUpdate().throwIfNotFound();
  await forgetDeleted(trx, accountId, now);
  const copies = Board.query(trx).where('account_id', uuidOf(accountId)).whereNotNull('rehearsal_of_id');
  const made = await copies.select('rehearsal_of_id');
  const ofBoard = made.filter(({ rehearsalOfId }) => rehearsalOfId === id).length;
  if (ofBoard < MOST_OF_BOARD && made.length < MOST_OF_ACCOUNT) return;
  const owner =
    ofBoard < MOST_OF_BOARD
      ? `An account has at most ${MOST_OF_ACCOUNT} rehearsals`
      : `A board has at most ${MOST_OF_BOARD} rehearsals`;
  throw new DomainError('CONFLICT', `${owner}. Delete one first; they're deleted after a week anyway.`);
}

function ruleToTry({ closingRules, boardType, rehearsalOfId }: Board, view: string | null): ClosingRule {
  if (boardType === 'ratio') {
    throw new DomainError(
      'WRONG_BOARD_TYPE',
      'A ratio board has no runs of its own. Rehearse a counter board.',
    );
  }
  if (rehearsalOfId)
    throw new DomainError('INVALID_TRANSITION', 'This board is a rehearsal. Rehearse the board itself.');
  const rule = closingRules.find((one) => one.view === view);
  if (!rule) {
    const name = view === null ? "the board's own ranking" : `the view ${view}`;
    throw new DomainError(
      'INVALID_TRANSITION',
      `Nothing happens when ${name} ends. Add a closing rule first.`,
    );
  }
  return rule;
}

async function viewsToTry(trx: Knex.Transaction, { id }: Board, view: string | null): Promise<Declaration[]> {
  if (view === null) return [];
  const row = (await storedViews(trx, uuidOf(id))).find(
    ({ name, status }) => name === view && status === 'live',
  );
  if (!row) throw invalidView(`The view ${view} is still being built.`);
  return [declarationOf(row)];
}

/** Declares a copy of the view, from now on. */
function declarationOf(row: ViewRow): Declaration {
  const {
    name,
    by_tags: by,
    tie_policy: tiePolicy,
    keep_periods: keepPeriods,
    keep_podium: keepPodium,
  } = row;
  return {
    name,
    rule: ruleOf(row),
    by,
    tiePolicy,
    keepPeriods,
    keepPodium,
    since: null,
    mostGroups: row.most_groups,
  };
}

async function makeCopy(
  trx: Knex.Transaction,
  source: Board,
  rule: ClosingRule,
  views: Declaration[],
  now: Date,
): Promise<Board> {
  const { accountId, gameId, boardType, keepStrategy, sortDirection, tiePolicy } = source;
  const name = `Rehearsal of ${source.name}`;
  const input = {
    ...{ accountId, gameId, name: [...name].slice(0, LONGEST_NAME).join('') },
    ...settingsIn(source),
    ...{ isActive: true, isPublished: false, startsAt: null, endsAt: null },
    ...{ holdTop: 0, proof: 'off' as const, tickets: null, recordings: null, verdicts: null },
    ...{ closingRules: [rule], rehearsalOfId: source.id },
  };
  const rules = { boardType, keepStrategy, sortDirection, tiePolicy };
  const copy = await addBoard(trx, input, rules, undefined, now);
  await declareViews(trx, copy, views, now);
  await declareClosings(trx, copy, now);
  return copy;
}

/** The winner claims; the others' rewards stay open, for test sessions of theirs. */
async function claimFirst(trx: Knex.Transaction, copy: string, now: Date): Promise<void> {
  const { rows } = await runStatement<{ id: string }>(trx, FIRST_REWARDS, [uuidOf(copy), 'open']);
  for (const { id } of rows) await setClaimed(trx, id, null, now);
}
