import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { DateTime } from '../../graphql/scalars.js';

export const HistorySpan = { HOUR: 'hour', DAY: 'day', MONTH: 'month' } as const;
export type HistorySpan = (typeof HistorySpan)[keyof typeof HistorySpan];

registerEnumType(HistorySpan, {
  name: 'HistorySpan',
  description: 'The length of the spans of a history.',
  valuesConfig: {
    HOUR: { description: 'Hours, kept for 400 days.' },
    DAY: { description: 'Days in UTC.' },
    MONTH: { description: 'Months in UTC.' },
  },
});

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
