import { field, type Row, type RowRequest, rest } from './rows.js';

const clientOf =
  (parameter: string, name = parameter) =>
  ({ of, home }: RowRequest) => ({ board_id: home.board_id, [parameter]: of[name] });
const adminOf =
  (parameter: string, name = parameter) =>
  ({ of, home }: RowRequest) => ({
    account_id: home.account_id,
    board_id: home.board_id,
    [parameter]: of[name],
  });
const watching =
  (argument: string, value: (of: RowRequest['of']) => unknown) =>
  ({ of, home }: RowRequest) => ({ boardId: home.board_id, [argument]: value(of) });

/** Requests for a record of aurora that also name the target's record: both must be checked. */
export const HOME_ROWS: Row[] = [
  rest('POST /v1/games', 'ADMIN_DEFAULT_AT_HOME', {
    body: ({ of, home, n }) => ({
      account_id: home.account_id,
      name: `made ${n}`,
      default_board_id: of.board_id,
    }),
    label: 'with a board',
  }),
  rest('POST /v1/boards', 'ADMIN_TEMPLATE_AT_HOME', {
    body: ({ of, home, n }) => ({
      account_id: home.account_id,
      game_id: home.game_id,
      name: `made ${n}`,
      created_from_template_id: of.template_id,
    }),
    label: 'of a template',
  }),
  rest('GET /v1/client/scores', 'CLIENT_AT_HOME', {
    query: clientOf('identity_id'),
    label: 'of a player',
  }),
  rest('GET /v1/client/scores', 'CLIENT_SIBLING_AT_HOME', {
    query: clientOf('identity_id', 'sibling_identity_id'),
    label: 'of a player of another game',
  }),
  rest('GET /v1/client/scores', 'CLIENT_SCORE_AT_HOME', {
    query: clientOf('around_score_id', 'score_id'),
    label: 'around a score',
  }),
  rest('GET /v1/scores', 'ADMIN_AT_HOME', { query: adminOf('identity_id'), label: 'of a player' }),
  rest('GET /v1/scores', 'ADMIN_BOARD_AT_HOME', { query: adminOf('game_id'), label: 'of a game' }),
  rest('GET /v1/scores', 'ADMIN_SCORE_AT_HOME', {
    query: adminOf('around_score_id', 'score_id'),
    label: 'around a score',
  }),
  rest('GET /v1/board-states', 'ADMIN_AT_HOME', { query: adminOf('identity_id'), label: 'of a player' }),
  field(
    'Mutation.createBoard',
    'ADMIN_TEMPLATE_AT_HOME',
    ({ of, home, n }) => ({
      input: {
        accountId: home.account_id,
        gameId: home.game_id,
        name: `made ${n}`,
        createdFromTemplateId: of.template_id,
      },
    }),
    { label: 'of a template' },
  ),
  field(
    'Mutation.updateBoard',
    'ADMIN_TEMPLATE_AT_HOME',
    ({ of, home }) => ({ input: { id: home.board_id, createdFromTemplateId: of.template_id } }),
    { label: 'of a template' },
  ),
  field(
    'Subscription.scoreFlagReviewed',
    'ADMIN_WATCH_AT_HOME',
    ({ of, home }) => ({
      accountId: home.account_id,
      gameId: of.game_id,
      after: Buffer.from('0:00000000-0000-0000-0000-000000000000').toString('base64url'),
    }),
    { label: 'of a game' },
  ),
  field(
    'Subscription.alertRaised',
    'ADMIN_WATCH_AT_HOME',
    ({ of, home }) => ({
      accountId: home.account_id,
      gameId: of.game_id,
      after: Buffer.from('0:00000000-0000-0000-0000-000000000000').toString('base64url'),
    }),
    { label: 'of a game' },
  ),
  field(
    'Subscription.scoreFlagged',
    'ADMIN_WATCH_AT_HOME',
    ({ of, home }) => ({
      accountId: home.account_id,
      gameId: of.game_id,
      after: home.early_flag_id,
    }),
    { label: 'of a game' },
  ),
  field(
    'Subscription.rankChanged',
    'WATCH_AT_HOME',
    watching('identityIds', ({ identity_id }) => [identity_id]),
    { label: 'of a player' },
  ),
  field(
    'Subscription.boardChanged',
    'WATCH_WINDOW_AT_HOME',
    watching('around', ({ identity_id }) => ({ identityId: identity_id })),
    { label: 'around a player' },
  ),
];
