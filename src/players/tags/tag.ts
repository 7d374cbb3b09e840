import { Field, InputType, ObjectType } from 'type-graphql';
import { MOST_TAGS } from '../../boards/views/tag-value.js';
import { Rule } from '../../graphql/rules.js';

@ObjectType({ description: 'A tag and its value.', simpleResolvers: true })
export class Tag {
  @Field(() => String, { description: 'Name of the tag.' })
  name!: string;

  @Field(() => String, { description: 'Value of the tag.' })
  value!: string;
}

export function tagList(values: Readonly<Record<string, string>>): Tag[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

@InputType({ description: 'A tag and its value.' })
export class TagInput {
  @Field(() => String, { description: 'Name of the tag.' })
  name!: string;

  @Field(() => String, { description: 'Value of the tag.' })
  value!: string;
}

@InputType({ description: "A change to one of a player's tags." })
export class TagChange {
  @Field(() => String, { description: 'Name of the tag.' })
  name!: string;

  @Field(() => String, { nullable: true, description: 'New value of the tag. Null removes it.' })
  value?: string | null;
}

/** Tags in a list that names each of them once. @param holds the rule of their values @param values its words */
export function AreTagList(holds: (value: unknown) => boolean = () => true, values = ''): PropertyDecorator {
  return Rule(
    'tags',
    `must be at most ${MOST_TAGS} tags, each named once${values}`,
    (given) => {
      const tags = given as TagChange[];
      const names = new Set(tags.map(({ name }) => name));
      return (
        tags.length <= MOST_TAGS && names.size === tags.length && tags.every(({ value }) => holds(value))
      );
    },
    { maxItems: MOST_TAGS },
  );
}

/** Tags by their names. */
export function valuesOf(tags: readonly TagInput[]): Record<string, string>;
export function valuesOf(tags: readonly TagChange[]): Record<string, string | null>;
export function valuesOf(tags: readonly TagChange[]): Record<string, string | null> {
  return Object.fromEntries(tags.map(({ name, value }) => [name, value ?? null]));
}
