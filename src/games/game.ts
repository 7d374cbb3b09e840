import { Extensions, Field, ID, InputType, ObjectType } from 'type-graphql';
import { GAME_EXPORT } from '../base/transfer/exported.js';
import type { GlobalName } from '../db/names.js';
import { Row } from '../db/row.js';
import { Deletion } from '../graphql/changed-record.js';
import { Node } from '../graphql/node.js';
import {
  AreFrameOrigins,
  AreTags,
  HINTS,
  IsIdOf,
  IsName,
  IsSlug,
  IsWebUrl,
  Matches,
  MaxLength,
  NotNull,
} from '../graphql/rules.js';
import { DateTime, JsonObject } from '../graphql/scalars.js';
import { AlsoInGraphQL, Only, RestName } from '../graphql/views.js';
import { type AntiCheatSettings, antiCheatSchema } from './anti-cheat-settings.js';
import { GameEnvironment } from './environment.js';
import { AntiCheatSettingsInput } from './thresholds.js';

@AlsoInGraphQL(
  `${GAME_EXPORT} Its pictures are set by \`PUT /v1/games/{game_id}/logo\` and \`/cover\`: PNG, JPEG or WebP as raw bytes, at most 512 KiB.`,
)
@ObjectType({
  implements: Node,
  description: 'A game of an account. It owns boards.',
  simpleResolvers: true,
})
export class Game extends Row {
  static override tableName = 'games';
  static override unaudited = ['logo', 'cover'];
  static override ids = { id: 'game', accountId: 'account', defaultBoardId: 'board' } as const;

  @Field(() => ID, { description: 'The id, `gam_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account it belongs to. Never changes.' })
  accountId!: string;

  @Field(() => String, { description: 'Name, unique among the games of its account.' })
  name!: string;

  @Field(() => String, { description: 'Unique name used in URLs. It never changes.' })
  slug!: string;

  @Field(() => String, { nullable: true, description: 'Description, shown on its page.' })
  description!: string | null;

  @Field(() => String, { nullable: true, description: "URL of the game's website." })
  pageUrl!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Accent colour of its public pages, `#rrggbb`. Null: the default.',
  })
  accentColour!: string | null;

  @Field(() => GameEnvironment, {
    description: 'What it is for: a label, shown in colour in console and terminal.',
  })
  environment!: GameEnvironment;

  @Field(() => [String], {
    description: 'Origins of pages that may show its stream overlays in a frame, beside the service itself.',
  })
  overlayOrigins!: string[];

  /** Names of its pictures in addresses: digest and ending of the file in the table `game_pictures`. */
  logo!: string | null;
  cover!: string | null;

  /** When a backup was restored: prizes of rankings that had begun wait for a release (closings/rewards/hold.ts). Null: none do. */
  prizesHeldAt!: Date | null;

  /** Exposed by a field resolver: not to clients of other games. */
  platformAppId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The board to show first. Null if none was chosen.' })
  defaultBoardId!: string | null;

  @Field(() => Boolean, { description: 'True if submissions are checked for cheating.' })
  antiCheatEnabled!: boolean;

  /** Its own thresholds; null: the service's. Shown to administrators only. */
  antiCheatSettings!: AntiCheatSettings | null;

  @Field(() => [String], { description: 'Free labels.' })
  tags!: string[];

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;

  override globalNames(): GlobalName[] {
    return this.deletedAt ? [] : [{ kind: 'game_slug', name: this.slug }];
  }
}

const ANTI_CHEAT_SETTINGS_DOC =
  'Thresholds of this game. Defaults of the service apply to absent ones, or to all if null. `rate_limit`, `velocity_seconds`, `duplicate_seconds`, `progression_percent` and `outlier_z` have a number or "off" for each trust tier `a`, `b`, `c`; `progression_min_values`, `outlier_min_entries` and `outlier_medium_factor` a number; `default_tier` a tier. If runs often reach the same score, set `duplicate_seconds` to the length of the shortest run.';

const OWN_SETTINGS = "Its own fair-play settings. Null: the service's defaults.";

/** Documents the rules that `checkedAntiCheatSettings` checks. */
function AntiCheatSchema(): PropertyDecorator {
  return Extensions({ [`${HINTS}settings`]: antiCheatSchema() });
}

@InputType({ description: 'A new game.' })
export class CreateGameInput {
  @IsIdOf('account')
  @Field(() => ID, { description: 'The account that it will belong to.' })
  accountId!: string;

  @IsName(1, 100)
  @Field(() => String, { description: 'Its name, 1 to 100 characters, unique in the account.' })
  name!: string;

  @IsSlug()
  @Field(() => String, {
    nullable: true,
    description: 'Slug, 2 to 50 characters. Derived from the name if absent.',
  })
  slug?: string | null;

  @MaxLength(2_000)
  @Field(() => String, { nullable: true, description: 'Its description, up to 2,000 characters.' })
  description?: string | null;

  @IsWebUrl()
  @Field(() => String, { nullable: true, description: "URL of the game's website." })
  pageUrl?: string | null;

  @Matches('colour', /^#[0-9A-Fa-f]{6}$/, 'must be a colour like #2a56c6')
  @Field(() => String, {
    nullable: true,
    description:
      'Accent colour of its public pages, like `#2a56c6`. Pages adjust it to stay readable on light and dark backgrounds.',
  })
  accentColour?: string | null;

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'Its identifier on a distribution platform.' })
  platformAppId?: string | null;

  @IsIdOf('board')
  @Field(() => ID, {
    nullable: true,
    description:
      'The board to show first. As a new game has no boards yet, this can be any board of the account.',
  })
  defaultBoardId?: string | null;

  @Field(() => Boolean, {
    defaultValue: true,
    description: 'True if submissions are checked for cheating. Default: true.',
  })
  antiCheatEnabled?: boolean | null;

  @Field(() => GameEnvironment, {
    nullable: true,
    defaultValue: GameEnvironment.PRODUCTION,
    description: 'What it is for: a label. Default: `PRODUCTION`.',
  })
  environment?: GameEnvironment | null;

  @AreFrameOrigins()
  @Field(() => [String], {
    defaultValue: [],
    description:
      'Origins of pages that may show its stream overlays in a frame: up to 10, like `https://example.com`; `http` only for `localhost`.',
  })
  overlayOrigins?: string[] | null;

  @Only('graphql')
  @Field(() => AntiCheatSettingsInput, { nullable: true, description: OWN_SETTINGS })
  antiCheatSettings?: AntiCheatSettingsInput | null;

  @Only('rest')
  @RestName('anti_cheat_settings')
  @AntiCheatSchema()
  @Field(() => JsonObject, { nullable: true, description: ANTI_CHEAT_SETTINGS_DOC })
  antiCheatObject?: Record<string, unknown> | null;

  @AreTags()
  @Field(() => [String], { defaultValue: [], description: 'Up to 32 free labels of 1 to 64 characters.' })
  tags?: string[] | null;
}

@InputType({ description: 'Changes to a game. Absent fields stay unchanged. Null clears optional fields.' })
export class UpdateGameInput {
  @NotNull()
  @IsName(1, 100)
  @Field(() => String, {
    nullable: true,
    description: 'Its name, 1 to 100 characters, unique in the account.',
  })
  name?: string;

  @MaxLength(2_000)
  @Field(() => String, { nullable: true, description: 'Its description, up to 2,000 characters.' })
  description?: string | null;

  @IsWebUrl()
  @Field(() => String, { nullable: true, description: "URL of the game's website." })
  pageUrl?: string | null;

  @Matches('colour', /^#[0-9A-Fa-f]{6}$/, 'must be a colour like #2a56c6')
  @Field(() => String, {
    nullable: true,
    description:
      'Accent colour of its public pages, like `#2a56c6`. Pages adjust it to stay readable on light and dark backgrounds.',
  })
  accentColour?: string | null;

  @IsName(1, 100)
  @Field(() => String, { nullable: true, description: 'Its identifier on a distribution platform.' })
  platformAppId?: string | null;

  @IsIdOf('board')
  @Field(() => ID, { nullable: true, description: 'The board to show first: one of this game.' })
  defaultBoardId?: string | null;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: 'True if submissions are checked for cheating.' })
  antiCheatEnabled?: boolean;

  @NotNull()
  @Field(() => GameEnvironment, { nullable: true, description: 'What it is for: a label.' })
  environment?: GameEnvironment;

  @NotNull()
  @AreFrameOrigins()
  @Field(() => [String], {
    nullable: true,
    description:
      'Origins of pages that may show its stream overlays in a frame: up to 10, like `https://example.com`; `http` only for `localhost`.',
  })
  overlayOrigins?: string[];

  @Only('graphql')
  @Field(() => AntiCheatSettingsInput, { nullable: true, description: OWN_SETTINGS })
  antiCheatSettings?: AntiCheatSettingsInput | null;

  @Only('rest')
  @RestName('anti_cheat_settings')
  @AntiCheatSchema()
  @Field(() => JsonObject, { nullable: true, description: ANTI_CHEAT_SETTINGS_DOC })
  antiCheatObject?: Record<string, unknown> | null;

  @NotNull()
  @AreTags()
  @Field(() => [String], { nullable: true, description: 'Up to 32 free labels of 1 to 64 characters.' })
  tags?: string[];

  @Deletion()
  deleted?: boolean;
}
