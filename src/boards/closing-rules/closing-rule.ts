import type { Knex } from 'knex';
import { DomainError, invalidField } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { Nested } from '../../graphql/input-checks.js';
import { type FieldKind, kind } from '../../graphql/records/kinds.js';
import {
  type Created,
  maybe,
  newColumns,
  newInput,
  PartType,
  preset,
  withFields,
} from '../../graphql/records/record.js';
import { wakeJob } from '../../jobs/job.js';
import { checkedPrizes, PrizeTableInput } from '../prizes/prize-input.js';
import { PrizeTable } from '../prizes/prize-table.js';

/** The job that closes rankings. */
export const CLOSE_RANKINGS = 'close-rankings';

const MONTH_MINUTES = 43_200;
const MONTH_HOURS = 720;
const MOST_PLACES = 100;

/** Checked in {@link checkedClosingRules}, which knows its place. */
const prizeTable: FieldKind<PrizeTable, PrizeTableInput> = {
  type: () => PrizeTable,
  given: { create: PrizeTableInput, update: PrizeTableInput },
  rules: [Nested()],
};

const fields = {
  view: maybe(
    kind.text,
    "Name of a view with periods, each period and group of which is closed. Null: the board's own ranking.",
  ),
  settleMinutes: preset(
    kind.whole(0, MONTH_MINUTES),
    0,
    'Minutes for reviews between the end and the fixing of places.',
  ),
  reviewTop: maybe(
    kind.whole(1, MOST_PLACES),
    'Places are fixed later while flags on so many first places, or held runs that would be among them, are open. Null: they are not.',
  ),
  reviewHours: preset(kind.whole(0, MONTH_HOURS), 72, 'At most so many hours after settling.'),
  places: preset(
    kind.whole(1, MOST_PLACES),
    10,
    'Number of places that are fixed at least; those with a prize always are.',
  ),
  prizes: maybe(prizeTable, 'What places are given. Null: nothing.', {
    whenNew:
      'The first table applies to the running period, a changed one from the next; ' +
      "of a board's own ranking it can't change any more once it has scores.",
  }),
};

const ABOUT = 'A ranking of a board that is closed when it ends.';

@PartType(fields, ABOUT)
export class ClosingRule extends withFields(fields) {}

const at = (index: number) => ['closingRules', index, 'view'];

/** The closing rules of a board or template as they are stored. @throws DomainError VALIDATION_FAILED */
function checkedClosingRules(inputs: readonly Created<typeof fields>[]): ClosingRule[] {
  const rules = inputs.map((input, n) => ({
    ...newColumns(fields, input),
    prizes: input.prizes ? checkedPrizes(input.prizes, ['closingRules', n, 'prizes']) : null,
  }));
  const twice = rules.findIndex(({ view }, n) => rules.findIndex((other) => other.view === view) < n);
  if (twice >= 0) throw invalidField(at(twice), 'must be unique on the board');
  return rules;
}

export const closingRules = kind.objects(
  ClosingRule,
  newInput('ClosingRuleInput', ABOUT, fields),
  checkedClosingRules,
);

/** @throws DomainError VALIDATION_FAILED for rules that name no view of the board with periods; WRONG_BOARD_TYPE: a ratio board itself */
export function checkClosings(
  rules: readonly ClosingRule[],
  boardType: string,
  views: readonly { name: string; hasPeriods: boolean }[],
): void {
  for (const [index, { view }] of rules.entries()) {
    if (view === null && boardType === 'ratio') {
      throw new DomainError(
        'WRONG_BOARD_TYPE',
        'A ratio board itself is not closed. Name one of its views with periods in the closing rule.',
      );
    }
    if (view !== null && !views.some(({ name, hasPeriods }) => name === view && hasPeriods)) {
      throw invalidField(at(index), `must be a view of the board that has periods, which ${view} is not`);
    }
  }
}

/**
 * Has a board close the rankings that its record says, under the lock of its submissions: what ends from now on.
 * @throws DomainError VALIDATION_FAILED for prizes of a running board that differ from its first ones
 */
export async function declareClosings(
  trx: Knex.Transaction,
  { id, closingRules }: { id: string; closingRules: ClosingRule[] },
  now: Date,
): Promise<void> {
  await runStatement(trx, 'select declare_closings(?, ?)', [uuidOf(id), now]);
  const { rows } = await runStatement<{ late: boolean }>(trx, 'select declare_prizes(?, ?) as late', [
    ...[uuidOf(id), now],
  ]);
  if (rows[0]!.late) {
    const index = closingRules.findIndex(({ view }) => view === null);
    throw invalidField(['closingRules', index, 'prizes'], 'must stay as they are: the board has scores');
  }
  await wakeJob(trx, CLOSE_RANKINGS, now, now.getTime());
}

/** Begins the closing of a locked board's own ranking now, if it has a rule; the job begins those of boards that end. */
export async function closeRanking(
  trx: Knex.Transaction,
  board: string,
  reason: 'replaced' | 'closed',
  now: Date,
): Promise<void> {
  const { rows } = await runStatement<{ begun: string }>(trx, 'select close_board(?, ?, ?, ?) as begun', [
    ...[board, reason, now, now],
  ]);
  if (Number(rows[0]!.begun) > 0) await wakeJob(trx, CLOSE_RANKINGS, now, now.getTime());
}

/** A board that is open again withdraws a closing that has not been frozen. */
export async function withdrawClosing(trx: Knex.Transaction, id: string, now: Date): Promise<void> {
  await runStatement(trx, 'select withdraw_closing(?, ?)', [uuidOf(id), now]);
}
