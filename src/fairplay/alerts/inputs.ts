import { Field, ID, InputType } from 'type-graphql';
import { IsIdOf, NotNull } from '../../graphql/rules.js';
import { AlertKind, AlertStatus } from './alert.js';

const only = (description: string) => ({ nullable: true, description });

@InputType({ description: 'Which alerts to list.' })
export class AlertFilter {
  @IsIdOf('game')
  @Field(() => ID, only('Only alerts of this game and its boards.'))
  gameId?: string | null;

  @IsIdOf('board')
  @Field(() => ID, only('Only alerts of this board.'))
  boardId?: string | null;

  @Field(() => AlertKind, only('Only alerts of this kind.'))
  kind?: AlertKind | null;

  @Field(() => AlertStatus, only('Only alerts with this status.'))
  status?: AlertStatus | null;
}

@InputType({ description: 'Changes to an alert. Absent fields stay unchanged.' })
export class UpdateAlertInput {
  @NotNull()
  @Field(() => AlertStatus, { nullable: true, description: 'Dismisses or reopens it.' })
  status?: AlertStatus;
}
