import { ArgsType, Field, Float, ID, InputType, Int } from 'type-graphql';
import { PageArgs } from '../../graphql/connection.js';
import { Weighs } from '../../graphql/engine/cost.js';
import { Nested } from '../../graphql/input-checks.js';
import { IsIdOf, Rule } from '../../graphql/rules.js';
import { OneOf } from '../../graphql/views.js';
import { ArePlayers, MOST_FRIENDS } from '../../players/friends/friend-list.js';
import { IsPlayer } from '../../players/inputs.js';
import { AreTagList, TagInput } from '../../players/tags/tag.js';
import { MOST_AMONG } from '../schema/inputs.js';
import { AreViewNames, IsPeriodKey, IsViewName } from './view-args.js';

const POPULATION = {
  nullable: true,
  description:
    "True for the test population, false for production. Default: that of the client's session; production for other callers.",
};

/** The arguments that choose a published ranking of a board. */
@ArgsType()
export class PublicRankingArgs {
  @IsViewName()
  @Field(() => String, {
    nullable: true,
    description: "A view of the board, in place of the board's own ranking.",
  })
  view?: string | null;

  @IsPeriodKey()
  @Field(() => String, {
    nullable: true,
    description: 'With `view`: its period, by key, e.g. `2026-W48`, or `current` (default) or `previous`.',
  })
  period?: string | null;

  @AreTagList()
  @Field(() => [TagInput], {
    nullable: true,
    description: 'With a view by tags: the value of each tag.',
  })
  where?: TagInput[] | null;
}

/** The arguments that choose a ranking of a board. */
@ArgsType()
export class RankingArgs extends PublicRankingArgs {
  @Field(() => Boolean, POPULATION)
  isTest?: boolean | null;
}

@OneOf()
@InputType({ description: 'A place in a ranking, by exactly one of these.' })
export class AroundInput {
  @IsPlayer()
  @Field(() => ID, {
    nullable: true,
    description: "The entry of this player; `me`: the player of the client's own session.",
  })
  identityId?: string | null;

  @IsIdOf('score')
  @Field(() => ID, { nullable: true, description: 'The entry of this score.' })
  scoreId?: string | null;

  @Field(() => Float, {
    nullable: true,
    description: 'The place that this value would get, shown in `hypothetical`.',
  })
  value?: number | null;
}

@OneOf()
@InputType({ description: 'Players that a ranking is limited to, by exactly one of these.' })
class AmongInput {
  @ArePlayers(1, MOST_AMONG.admin)
  @Field(() => [ID], {
    nullable: true,
    description:
      `Ids of players, up to ${MOST_AMONG.admin.toLocaleString('en')} with an API key, ` +
      `${MOST_AMONG.client} for game clients, ${MOST_AMONG.anonymous} for all others. Those without an entry are left out.`,
  })
  identityIds?: string[] | null;

  @IsPlayer()
  @Field(() => ID, {
    nullable: true,
    description:
      'The stored friends of this player, and the player. Game clients can only name `me`: the player of their own session.',
  })
  friendsOf?: string | null;
}

/** A stored list weighs as much as the longest one: a cost does not depend on the data. */
function weightOfAmong(value: unknown): number {
  const { identityIds, friendsOf } = (value ?? {}) as AmongInput;
  return friendsOf == null ? (identityIds?.length ?? 0) : MOST_FRIENDS;
}

@ArgsType()
export class EntriesArgs extends PageArgs {
  @Rule('range', 'must be 1 or more', (value) => typeof value === 'number' && value >= 1, { minimum: 1 })
  @Field(() => Int, { nullable: true, description: 'A page that starts at this rank.' })
  startRank?: number | null;

  @Nested()
  @Field(() => AroundInput, { nullable: true, description: 'A page around this place.' })
  around?: AroundInput | null;

  @IsPlayer()
  @Field(() => ID, {
    nullable: true,
    description: 'Only entries of this player. There can be several where every run is ranked.',
  })
  identityId?: string | null;

  @Nested()
  @Weighs(weightOfAmong)
  @Field(() => AmongInput, {
    nullable: true,
    description:
      'Only entries of these players: `amongRank` is the rank among them, `rank` the one in the whole ' +
      'ranking. Where every run is ranked, the best entry of each player. `around` and `startRank` then ' +
      'refer to the ranks among them.',
  })
  among?: AmongInput | null;
}

@ArgsType()
export class EntryArgs {
  @IsPlayer()
  @Field(() => ID, { description: "The player; `me`: the player of the client's own session." })
  identityId!: string;
}

@ArgsType()
export class PlayerArgs extends EntryArgs {
  @Field(() => Boolean, POPULATION)
  isTest?: boolean | null;
}

@ArgsType()
export class EntriesOfArgs extends PlayerArgs {
  @AreViewNames()
  @Field(() => [String], { nullable: true, description: 'Names of views. All if absent.' })
  views?: string[] | null;
}
