import { onBoard } from './graph-arguments.js';
import { field, type Row } from './rows.js';

/** The fields of Subscription. */
export const SUBSCRIPTION_ROWS: Row[] = [
  field('Subscription.boardChanged', 'WATCH', onBoard),
  field('Subscription.boardChanged', 'WATCH', ({ of }) => ({ boardId: of.board_id, isTest: true }), {
    label: 'of tests',
  }),
  field('Subscription.scoreFlagReviewed', 'ADMIN_RECORD', ({ of }) => ({
    gameId: of.game_id,
    after: Buffer.from('0:00000000-0000-0000-0000-000000000000').toString('base64url'),
  })),
  field('Subscription.scoreFlagged', 'ADMIN_POSITION', ({ of }) => ({ after: of.early_flag_id })),
  field('Subscription.scoreFlagged', 'ADMIN_POSITION', ({ of }) => ({ after: of.flag_id }), {
    label: 'where those of others come next',
  }),
  field('Subscription.rankChanged', 'WATCH', ({ of }) => ({
    boardId: of.board_id,
    identityIds: [of.identity_id],
  })),
  field(
    'Subscription.rankChanged',
    'WATCH',
    ({ of }) => ({ boardId: of.board_id, identityIds: [of.test_identity_id], isTest: true }),
    { label: 'in tests' },
  ),
  field('Subscription.overtaken', 'CLIENT_RECORD', onBoard),
  field('Subscription.boardChanged', 'WATCH_UNPUBLISHED', ({ of }) => ({ boardId: of.hidden_id }), {
    label: 'hidden',
  }),
];
