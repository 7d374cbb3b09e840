import type { EventType, TEST_EVENT } from '../events/event-types.js';
import {
  anyObject,
  id,
  type JsonShape,
  manyOf,
  moment,
  number,
  object,
  oneOf,
  orNull,
  text,
  wholeNumber,
  yesNo,
} from './json-shape.js';

const player = object({
  id: id('ide', 'The player.'),
  name: orNull(text('The name when the event was made. Written by the player: escape it.')),
});

const board = object(
  {
    id: id('brd'),
    name: text(),
    slug: text(),
    seq: wholeNumber('The newest event or ruling of the board that the data includes.'),
    version: wholeNumber(
      'The version of the board that the data is of: of two events the one with the larger is newer.',
    ),
  },
  [],
  'The board, as it was when the event was made.',
);

const value = number("In the board's unit.");
const valueText = orNull(text('As the board shows it; null: the board has no format.'));

const ENTRY = {
  rank: wholeNumber('Unique position, starting at 1.'),
  score_id: id('scr'),
  player,
  value,
  value_text: valueText,
};
const entry = object(ENTRY);

const bounds = { starts_at: orNull(moment()), ends_at: orNull(moment()) };

const MERGE = {
  merge_id: id('mrg'),
  source_id: id('ide', 'The player whose runs count for the other one.'),
  target_id: id('ide', 'The player that stays.'),
};

const FLAG = {
  board,
  flag_id: id('flg'),
  score_event_id: id('sev'),
  player,
  device_id: orNull(id('dev')),
  flag_type: text('`velocity`, `duplicate`, `outlier`, `manual`, …'),
  confidence: oneOf(['low', 'medium', 'high']),
  value,
};

const KEY = {
  key_id: id('key'),
  user_id: id('usr'),
  name: text('What the key is for.'),
  prefix: text('The public first characters of the key.'),
};

const RANKING = {
  board,
  closing_id: id('cls'),
  view: orNull(text("Null: the board's own ranking.")),
  period: orNull(text('Key of the period.')),
  group: orNull(text("Values of the view's tags, with commas between them.")),
};

const CLOSING = {
  ...RANKING,
  reason: oneOf(['ended', 'replaced', 'closed']),
  ended_at: moment(),
};

const REWARDS = object({
  ...RANKING,
  lines: manyOf(
    object({
      name: text('Unique in the prize table.'),
      title: text('For players.'),
      picture_url: orNull(text()),
      grant: anyObject('What is given, in the words of the game.'),
    }),
    'The lines of the prize table that the rewards are of.',
  ),
  rewards: manyOf(
    object({
      reward_id: id('rwd', 'Keep it for ever, and hand nothing out twice.'),
      line: text('Name of its line.'),
      player,
      rank: wholeNumber("The player's rank."),
      shared_by: orNull(wholeNumber('Players of equal value who share it.')),
      status: oneOf(['open', 'claimed', 'acknowledged', 'expired', 'revoked'], 'When the event was made.'),
      expires_at: orNull(moment('When it expires unless claimed.')),
    }),
    'At most 100.',
  ),
});

/** What `data` holds, by type of event. */
export const DATA_SHAPES: Record<EventType | typeof TEST_EVENT, JsonShape> = {
  'board.opened': object({ board, ...bounds }),
  'board.closing': object({ board, ends_at: moment('When it ends.') }),
  'board.closed': object({
    board,
    reason: oneOf(
      ['ended', 'closed', 'replaced'],
      'Its end has come, a person closed it, or the next board of its template replaces it.',
    ),
    ...bounds,
    podium: manyOf(entry, 'The first three entries of production.'),
    total: wholeNumber('Number of entries of production.'),
  }),
  'board.leader_changed': object({
    board,
    leader: orNull(entry),
    previous: orNull(object({ player })),
  }),
  'ranking.settling': object({
    ...CLOSING,
    settles_at: moment('When its places are fixed at the earliest.'),
  }),
  'ranking.closed': object({
    ...CLOSING,
    podium: manyOf(
      object({
        rank: ENTRY.rank,
        display_rank: wholeNumber('By the tie policy.'),
        player,
        value,
        value_text: valueText,
      }),
      'The first three players.',
    ),
    total: wholeNumber('Number of entries.'),
    seq: wholeNumber('The newest event or ruling of the board that it includes.'),
  }),
  'reward.granted': REWARDS,
  'reward.claimed': REWARDS,
  'reward.expired': REWARDS,
  'reward.revoked': REWARDS,
  'player.overtaken': object({
    board,
    overtaken: object({ ...ENTRY, previous_rank: wholeNumber('The rank when the board was last compared.') }),
    by: entry,
  }),
  'score.flagged': object(FLAG),
  'score.held': object({
    ...FLAG,
    rank: wholeNumber('The rank it would have had.'),
    held_until: orNull(moment('When it is ranked without a review. Null: never.')),
  }),
  'score.reviewed': object({
    board,
    flag_id: id('flg'),
    score_event_id: id('sev'),
    player,
    flag_type: text(),
    status: oneOf(['pending', 'under_review', 'confirmed_cheat', 'false_positive', 'dismissed']),
    previous_status: oneOf(['pending', 'under_review', 'confirmed_cheat', 'false_positive', 'dismissed']),
    reviewer_id: id('usr'),
  }),
  'run.verify': object({
    board,
    player,
    score_event_id: id('sev'),
    pass_id: orNull(
      id('vps', 'The pass that sends it again, to be sent with the verdict. Null: it was just stored.'),
    ),
    value: number('What the run claims.'),
    metadata: orNull(anyObject('Data that the game attached to it.')),
    submitted_at: moment(),
    run: orNull(
      object({
        started_at: moment(),
        elapsed_ms: wholeNumber("From then to its submission, by the database's clock."),
        idle_ms: wholeNumber('Those in which nothing was played, as the game says.'),
        run_ms: orNull(wholeNumber('Its length, as the game says.')),
        splits: orNull(manyOf(wholeNumber(), 'Milliseconds from its start to each of its points.')),
        seed: orNull(wholeNumber()),
        game_version: orNull(text()),
      }),
    ),
    recording: object({
      url: text('Path and query of the file on this service, for 24 hours and for whoever has it.'),
      bytes: wholeNumber(),
      hash: text('Its SHA-256, 64 hexadecimal digits.'),
    }),
  }),
  'runs.reviewed': object(
    {
      review_id: id('rev'),
      player,
      device_id: orNull(id('dev', 'Set where the runs of a device were reviewed.')),
      decision: oneOf(['confirmed_cheat', 'false_positive', 'dismissed']),
      undone: yesNo('True if the review was undone.'),
      boards: manyOf(id('brd'), 'Boards that followed.'),
    },
    ['player'],
  ),
  'alert.raised': object(
    {
      board,
      alert_id: id('alr'),
      kind: oneOf(['median_jump', 'new_players']),
      metadata: anyObject('The numbers behind it, as the alert has them.'),
    },
    ['board'],
  ),
  'device.banned': object({
    device_id: id('dev'),
    player,
    review_id: orNull(id('rev', 'The review that banned it. Null: an administrator.')),
  }),
  'player.proven': object({
    player,
    provider: text('Slug of the provider.'),
    kind: oneOf(['oidc', 'signed', 'steam', 'game_center', 'play_games', 'discord']),
  }),
  'player.merged': object(MERGE),
  'player.unmerged': object(MERGE),
  'player.erased': object({
    player: object({ id: id('ide') }),
    scores: oneOf(['keep', 'remove'], 'What happens to the scores.'),
  }),
  'import.finished': object({
    board,
    import_id: id('imp'),
    rows: wholeNumber('Rows that were read.'),
    written: wholeNumber('Events that were written.'),
    skipped: wholeNumber(),
    refused: wholeNumber(),
  }),
  'template.failed': object({
    template_id: id('tpl'),
    name: text(),
    error: text(),
    failures: wholeNumber('In a row.'),
    retry_at: moment(),
  }),
  'key.created': object(KEY),
  'key.revoked': object(KEY),
  'user.invited': object({ user_id: id('usr') }),
  'endpoint.disabled': object({ endpoint_id: id('whk'), name: text(), reason: text() }),
  'endpoint.test': object({ endpoint_id: id('whk'), name: text(), message: text() }),
};
