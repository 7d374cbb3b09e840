import { type ClassType, Field, ID, InputType, ObjectType } from 'type-graphql';
import type { IdKind } from '../base/ids.js';
import { IsIdOf } from './rules.js';
import { FailsAlone, Only } from './views.js';

function resultOf(mutation: string): string {
  return `The result of \`${mutation.charAt(0).toLowerCase()}${mutation.slice(1)}\`.`;
}

/** What a payload has besides its record, in GraphQL; REST has it in the record. */
export interface PayloadSecret {
  name: string;
  description: string;
}

/** Returns the payload type of a mutation that returns one record, under its noun. */
export function recordPayload(
  mutation: string,
  noun: string,
  type: () => ClassType,
  description: string,
  secret?: PayloadSecret,
) {
  @ObjectType(`${mutation}Payload`, { description: resultOf(mutation), simpleResolvers: true })
  class Payload {
    @Field(type, { name: noun, description })
    record!: object;
  }
  if (secret) {
    // The secret is not lost where the record cannot be read.
    FailsAlone()(Payload.prototype, 'record');
    Only('graphql')(Payload.prototype, secret.name);
    Field(() => String, { description: secret.description })(Payload.prototype, secret.name);
  }
  return Payload;
}

/** Returns the input type of a mutation that is told the id of a record only. @param description of the record */
export function recordInput(mutation: string, kind: IdKind, description: string) {
  @InputType(`${mutation}Input`, { description })
  class Input {
    @IsIdOf(kind)
    @Field(() => ID, { description: 'The id of the record.' })
    id!: string;
  }
  return Input;
}

/** Returns the payload type of a deletion. @param isFinal nothing brings the record back */
export function deletionPayload(mutation: string, isFinal = false) {
  const back = isFinal ? '.' : ', which `restore` brings back.';

  @ObjectType(`${mutation}Payload`, { description: resultOf(mutation), simpleResolvers: true })
  class Payload {
    @Field(() => ID, { description: `The id of the deleted record${back}` })
    deletedId!: string;
  }
  return Payload;
}
