import { ArgsType, type ClassType, Field, ID } from 'type-graphql';
import { type IdKind } from '../base/ids.js';
import { IsIdOf, NotNull } from './rules.js';
import { Only } from './views.js';

const DESCRIPTION = 'The id of the record.';

/** Arguments with the id of a record, which REST has in the path. */
export interface PathId {
  id?: string;
}

/**
 * Gives the input of a change the record's `id`. REST has it in the path, hence beside the input.
 * @returns the class of REST's argument
 */
export function changedById(kind: IdKind, input: ClassType): ClassType<PathId> {
  for (const decorate of [Only('graphql'), IsIdOf(kind), Field(() => ID, { description: DESCRIPTION })]) {
    decorate(input.prototype as object, 'id');
  }
  @ArgsType()
  class RecordArgs implements PathId {
    @Only('rest')
    @IsIdOf(kind)
    @Field(() => ID, { nullable: true, description: DESCRIPTION })
    id?: string;
  }
  return RecordArgs;
}

export const DELETION = 'Set to true to delete the record, or to false to restore it.';

/** Marks the member of a change with which REST deletes and restores a record; GraphQL has mutations of their own. */
export function Deletion(description = DELETION): PropertyDecorator {
  const decorators = [Only('rest'), NotNull(), Field(() => Boolean, { nullable: true, description })];
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property as string);
  };
}

/** Returns the id of the record and the changes to it. */
export function changeOf<U extends object>(path: PathId, input: U): { id: string; changes: U } {
  const { id = path.id, ...changes } = input as U & PathId;
  return { id: id!, changes: Object.assign(Object.create(Object.getPrototypeOf(input)), changes) as U };
}
