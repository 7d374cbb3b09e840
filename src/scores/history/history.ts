import { Field, Int, ObjectType } from 'type-graphql';
import { enumOf } from '../../graphql/enums.js';
import { DateTime } from '../../graphql/scalars.js';

export const HistorySpan = enumOf('HistorySpan', 'The length of the spans of a history.', {
  hour: 'Hours, kept for 400 days.',
  day: 'Days in UTC.',
  month: 'Months in UTC.',
});
export type HistorySpan = (typeof HistorySpan)[keyof typeof HistorySpan];

@ObjectType({ description: 'What happened in an hour, a day or a month.', simpleResolvers: true })
export class HistoryPoint {
  @Field(() => DateTime, { description: 'Start of the span.' })
  at!: Date;

  @Field(() => Int, { description: 'Submissions, rejected ones included. Imported scores do not count.' })
  submissions!: number;

  @Field(() => Int, { description: 'Flags that checks raised on these submissions.' })
  flags!: number;

  @Field(() => Int, { description: 'Players who submitted for the first time, to this board or game.' })
  newPlayers!: number;

  @Field(() => Int, {
    description: 'Players who submitted. Each counts once in a span, so days are not sums of hours.',
  })
  activePlayers!: number;
}

@ObjectType({
  description: 'Figures by hour, day or month. Submissions of the last minute may be missing.',
  simpleResolvers: true,
})
export class History {
  @Field(() => [HistoryPoint], { description: 'All spans, oldest first; those without submissions, too.' })
  points!: HistoryPoint[];

  @Field(() => Boolean, {
    description: 'False while submissions from before an upgrade are still being counted.',
  })
  isComplete!: boolean;
}
