import { Field, InputType, ObjectType } from 'type-graphql';

@ObjectType({ description: 'A tag and its value.', simpleResolvers: true })
export class Tag {
  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => String, { description: 'Its value.' })
  value!: string;
}

export function tagList(values: Readonly<Record<string, string>>): Tag[] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

@InputType({ description: 'A tag and its value.' })
export class TagInput {
  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => String, { description: 'Its value.' })
  value!: string;
}
