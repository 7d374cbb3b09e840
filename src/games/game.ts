import { Extensions } from 'type-graphql';
import { frameOriginOf } from '../base/outbound/web-origin.js';
import { GAME_EXPORT } from '../base/transfer/exported.js';
import type { GlobalName } from '../db/names.js';
import { type FieldKind, kind } from '../graphql/records/kinds.js';
import {
  asked,
  type Created,
  changeInput,
  createdAt,
  derived,
  fixed,
  idField,
  maybe,
  newInput,
  preset,
  RecordType,
  required,
  rowOf,
  type Updated,
  updatedAt,
} from '../graphql/records/record.js';
import { AreFrameOrigins, HINTS, IsWebUrl, Matches } from '../graphql/rules.js';
import { AlsoInGraphQL, Only, RestName } from '../graphql/views.js';
import { type AntiCheatSettings, antiCheatSchema } from './anti-cheat-settings.js';
import { GameEnvironment } from './environment.js';
import { AntiCheatSettingsInput } from './thresholds.js';

const ANTI_CHEAT_SETTINGS_DOC =
  'Thresholds of this game. Defaults of the service apply to absent ones, or to all if null. ' +
  '`rate_limit`, `velocity_seconds`, `duplicate_seconds`, `progression_percent` and `outlier_z` have a ' +
  'number or "off" for each trust tier `a`, `b`, `c`; `progression_min_values`, `outlier_min_entries` ' +
  'and `outlier_medium_factor` a number; `default_tier` a tier. If runs often reach the same score, set ' +
  '`duplicate_seconds` to the length of the shortest run.';

const OWN_SETTINGS = "Its own fair-play settings. Null: the service's defaults.";

/** Documents the rules that `checkedAntiCheatSettings` checks. */
function AntiCheatSchema(): PropertyDecorator {
  return Extensions({ [`${HINTS}settings`]: antiCheatSchema() });
}

const colour: FieldKind<string> = {
  ...kind.text,
  rules: [Matches('colour', /^#[0-9A-Fa-f]{6}$/, 'must be a colour like #2a56c6')],
  stored: (given) => given.toLowerCase(),
};

/** Stored as browsers write them, each once. */
const frameOrigins: FieldKind<string[]> = {
  type: () => [String],
  rules: [AreFrameOrigins()],
  limits: 'Up to 10, like `https://example.com`; `http` only for `localhost`.',
  stored: (given) => [...new Set(given.map((text) => frameOriginOf(text)!))],
};

export const gameFields = {
  id: idField('game'),
  accountId: fixed(required(kind.idOf('account'), 'The account it belongs to. Never changes.')),
  name: required(kind.label(100), 'Name, unique among the games of its account.'),
  slug: fixed(
    derived(kind.slug, 'Unique name used in URLs. It never changes.', {
      whenNew: 'Derived from the name if absent.',
    }),
  ),
  description: maybe(kind.longText(2_000), 'Description, shown on its page.'),
  pageUrl: maybe({ ...kind.text, rules: [IsWebUrl()] }, "URL of the game's website."),
  accentColour: maybe(
    colour,
    'Accent colour of its public pages, like `#2a56c6`; they adjust it to stay readable on light and dark backgrounds. Null: the default.',
  ),
  platformAppId: maybe(
    kind.label(100),
    'Its identifier on a distribution platform. Null for game clients of other games.',
  ),
  defaultBoardId: maybe(kind.idOf('board'), 'The board to show first. Null if none was chosen.', {
    whenNew: 'As a new game has no boards yet, this can be any board of the account.',
    whenChanged: 'One of this game.',
  }),
  antiCheatEnabled: preset(kind.flag, true, 'True if submissions are checked for cheating.'),
  environment: preset(
    kind.oneOf(GameEnvironment),
    'production',
    'What it is for: a label, shown in colour in console and terminal.',
    { takesNull: true },
  ),
  overlayOrigins: preset(
    frameOrigins,
    [],
    'Origins of pages that may show its stream overlays in a frame, beside the service itself.',
  ),
  playersMerge: preset(
    kind.flag,
    false,
    'True if game clients may merge their player into the one of a proof or link code (`onConflict: MERGE`).',
  ),
  antiCheatSettings: asked(
    kind.orNull({ ...kind.inputs(AntiCheatSettingsInput, AntiCheatSettingsInput), rules: [Only('graphql')] }),
    OWN_SETTINGS,
  ),
  antiCheatObject: asked(
    kind.orNull({
      ...kind.jsonObject,
      rules: [Only('rest'), RestName('anti_cheat_settings'), AntiCheatSchema()],
    }),
    ANTI_CHEAT_SETTINGS_DOC,
  ),
  tags: preset(kind.tags, [], 'Free labels.'),
  createdAt,
  updatedAt,
};

@AlsoInGraphQL(
  `${GAME_EXPORT} Its pictures are set by \`PUT /v1/games/{game_id}/logo\` and \`/cover\`: PNG, JPEG or WebP as ` +
    `raw bytes, at most 512 KiB.`,
)
@RecordType(gameFields, 'A game of an account. It owns boards.')
export class Game extends rowOf(gameFields) {
  static override tableName = 'games';
  static override unaudited = ['logo', 'cover'];

  /** Names of its pictures in addresses: digest and ending of the file in the table `game_pictures`. */
  logo!: string | null;
  cover!: string | null;
  /** Its own thresholds; null: the service's. Shown to administrators only. */
  antiCheatSettings!: AntiCheatSettings | null;
  /** When a backup was restored: prizes of rankings that had begun wait for a release (closings/rewards/hold.ts). Null: none do. */
  prizesHeldAt!: Date | null;

  override globalNames(): GlobalName[] {
    return this.deletedAt ? [] : [{ kind: 'game_slug', name: this.slug }];
  }
}

export const CreateGameInput = newInput('CreateGameInput', 'A new game.', gameFields);
export type CreateGameInput = Created<typeof gameFields>;

export const UpdateGameInput = changeInput(
  'UpdateGameInput',
  'Changes to a game. Absent fields stay unchanged. Null clears optional fields.',
  gameFields,
);
export type UpdateGameInput = Updated<typeof gameFields> & { deleted?: boolean };
