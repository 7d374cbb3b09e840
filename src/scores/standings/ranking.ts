import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { Board } from '../../boards/board/board.js';
import { DateTime } from '../../graphql/scalars.js';
import { Tag, tagList } from '../../players/tags/tag.js';
import type { ChosenRanking } from '../../rankings/address.js';
import type { ViewArgs } from './view-request.js';

/** A number, or a function that reads it when it is requested. */
export type Count = number | (() => number | Promise<number>);

@ObjectType({
  description:
    "A ranking of a board, of one population: the board's own, or a view's in one period and group.",
  simpleResolvers: true,
})
export class Ranking {
  constructor(
    readonly record: Board,
    readonly chosen: ChosenRanking,
    readonly population: boolean,
    private readonly count: Count,
    /** Set where no period was named: a cursor then stays in its period. */
    readonly present?: ViewArgs,
  ) {}

  @Field(() => ID, { description: 'The board.' })
  get boardId(): string {
    return this.chosen.boardId;
  }

  @Field(() => String, { nullable: true, description: "Name of the view. Null: the board's own ranking." })
  get view(): string | null {
    return this.chosen.view;
  }

  @Field(() => String, {
    nullable: true,
    description:
      "The key of its period, e.g. `2026-W48`, or `all` if the view has none. Null in the board's own ranking.",
  })
  get periodKey(): string | null {
    return this.chosen.key;
  }

  @Field(() => DateTime, {
    nullable: true,
    description: 'When its period, or the board, starts. Null: no start.',
  })
  get startsAt(): Date | null {
    const { span } = this.chosen;
    return span ? new Date(span.startsAt) : this.record.startsAt;
  }

  @Field(() => DateTime, {
    nullable: true,
    description: 'When its period, or the board, ends. Null: no end.',
  })
  get endsAt(): Date | null {
    const { span } = this.chosen;
    return span ? new Date(span.endsAt) : this.record.endsAt;
  }

  @Field(() => [Tag], { description: 'The tags of its group. Empty if it has none.' })
  get tags(): Tag[] {
    return tagList(this.chosen.where);
  }

  @Field(() => Boolean, { description: 'True for the test population.' })
  get isTest(): boolean {
    return this.population;
  }

  @Field(() => Int, { description: 'Number of its entries.' })
  get totalCount(): number {
    // A function is called where the field is requested (graphql/schema.ts).
    return this.count as number;
  }

  /** The number of its entries. */
  async counted(): Promise<number> {
    return typeof this.count === 'function' ? this.count() : this.count;
  }
}
