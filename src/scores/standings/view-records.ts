import { Field, Int, ObjectType } from 'type-graphql';
import { connectionOf } from '../../graphql/connection.js';
import { enumOf } from '../../graphql/enums.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';
import { Tag, tagList } from '../../players/tags/tag.js';
import { PodiumEntry } from './podium.js';

const PeriodState = enumOf('PeriodState', 'State of a period of a view.', {
  open: 'Submissions are being ranked in it.',
  closed: 'It has ended. Reviews can still change it.',
  dropped: 'Only the podium and total are kept.',
});
type PeriodState = (typeof PeriodState)[keyof typeof PeriodState];

@ObjectType({ description: 'A period of a view.', simpleResolvers: true })
class BoardPeriod {
  @Field(() => String, { description: 'Its key, e.g. `2026-W48`, with which requests name it.' })
  key!: string;

  @Field(() => DateTime, { description: 'When it starts.' })
  startsAt!: Date;

  @Field(() => DateTime, { description: 'When it ends (exclusive).' })
  endsAt!: Date;

  @Field(() => PeriodState, { description: 'Whether it is open, closed or dropped.' })
  state!: PeriodState;

  @Field(() => Int, { nullable: true, description: 'Number of its entries. Null for views by tags.' })
  totalCount!: number | null;

  @Field(() => [PodiumEntry], {
    complexity: 20,
    description: 'Its podium, without players deleted since. Empty for views by tags.',
  })
  podium!: PodiumEntry[];
}

@ObjectType({ description: 'A group of a view by tags.', simpleResolvers: true })
export class BoardGroup {
  @Field(() => String, { description: 'The values of the tags, separated by commas.' })
  key!: string;

  @Only('rest')
  @Field(() => JsonObject, { description: 'The tags with their values: the value of `where`.' })
  where!: Record<string, string>;

  @Field(() => [Tag], { description: 'The tags with their values.' })
  get tags(): Tag[] {
    return tagList(this.where);
  }

  @Field(() => PeriodState, { description: 'Whether its ranking is open, closed or dropped.' })
  state!: PeriodState;

  @Field(() => Int, { description: 'Number of its entries.' })
  totalCount!: number;
}

export const BoardPeriodConnection = connectionOf(() => BoardPeriod, 'BoardPeriod');
export const BoardGroupConnection = connectionOf(() => BoardGroup, 'BoardGroup');
