import { type ClassType, Field, ID, InputType, ObjectType } from 'type-graphql';
import type { IdKind } from '../base/ids.js';
import { IsIdOf } from './rules.js';

function resultOf(mutation: string): string {
  return `The result of \`${mutation.charAt(0).toLowerCase()}${mutation.slice(1)}\`.`;
}

/** Returns the payload type of a mutation that returns one record, under its noun. */
export function recordPayload(mutation: string, noun: string, type: () => ClassType, description: string) {
  @ObjectType(`${mutation}Payload`, { description: resultOf(mutation), simpleResolvers: true })
  class Payload {
    @Field(type, { name: noun, description })
    record!: object;
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
