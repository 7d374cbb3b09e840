import {
  type GraphQLFieldConfig,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  type GraphQLType,
  GraphQLUnionType,
  getNullableType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
  specifiedDirectives,
} from 'graphql';
import { Extensions } from 'type-graphql';

/** The interfaces that share the schema. */
type View = 'graphql' | 'rest';

const ONLY = 'only';
const ONE_OF = 'oneOf';
const REST_NAME = 'restName';
const FAILS_ALONE = 'failsAlone';
const REST_TEXT = 'restText';
const OPTIONAL = 'optional';
const ALSO = 'also';

/** Limits a field, an argument or an input field to one interface. */
export function Only(view: View): MethodDecorator & PropertyDecorator {
  return Extensions({ [ONLY]: view });
}

/** Names an input's field whose name in REST's bodies is not its own in snake_case. */
export function RestName(name: string): PropertyDecorator {
  return Extensions({ [REST_NAME]: name });
}

export function restNameOf(extensions: Readonly<Record<string, unknown>>): string | undefined {
  return extensions[REST_NAME] as string | undefined;
}

/** Describes a member in REST's own words. */
export function RestText(description: string): MethodDecorator & PropertyDecorator {
  return Extensions({ [REST_TEXT]: description });
}

/** What GraphQL's description of a type says besides that of REST. */
export function AlsoInGraphQL(text: string): ClassDecorator {
  return Extensions({ [ALSO]: text }) as ClassDecorator;
}

/** Marks an input type of which callers give exactly one field (`@oneOf`), which the schema builder does not know. */
export function OneOf(): ClassDecorator {
  return Extensions({ [ONE_OF]: true }) as ClassDecorator;
}

/**
 * Marks a field that always has a value, unless it fails: null in GraphQL then, so that what is beside it is not lost
 * (`@semanticNonNull`). Root fields and fields with arguments are so by themselves.
 */
export function FailsAlone(): PropertyDecorator & MethodDecorator {
  return Extensions({ [FAILS_ALONE]: true });
}

export function failsAlone({ extensions }: Member): boolean {
  return extensions?.[FAILS_ALONE] === true;
}

/** Marks all fields that fail alone by themselves. */
export function markFailingAlone(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType()];
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    if (type === schema.getSubscriptionType() || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (!isNonNullType(field.type) || !(roots.includes(type) || field.args.length > 0)) continue;
      field.extensions = { ...field.extensions, [FAILS_ALONE]: true };
    }
  }
}

/** Marks a field that REST's bodies always have and GraphQL's objects don't. */
export function Optional(): PropertyDecorator {
  return Extensions({ [OPTIONAL]: true });
}

interface Member {
  extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

/** The interface that a member is limited to; undefined: both have it. */
export function onlyIn({ extensions }: Member): View | undefined {
  return extensions?.[ONLY] as View | undefined;
}

type FieldConfig = GraphQLFieldConfig<unknown, unknown>;

/** Makes the types of one view, each when it is first named. */
class Making {
  readonly #made = new Map<GraphQLNamedType, GraphQLNamedType>();

  constructor(
    private readonly view: View,
    private readonly leafOf: (type: GraphQLNamedType) => GraphQLNamedType,
  ) {}

  of<T extends GraphQLType>(type: T): T {
    if (isNonNullType(type)) return new GraphQLNonNull(this.of(type.ofType)) as never;
    if (isListType(type)) return new GraphQLList(this.of(type.ofType)) as never;
    const named = type as GraphQLNamedType;
    const cached = this.#made.get(named);
    if (cached) return cached as T;
    const made = this.#make(named);
    this.#made.set(named, made);
    return made as T;
  }

  #make(type: GraphQLNamedType): GraphQLNamedType {
    if (isInputObjectType(type)) {
      const { fields, ...config } = type.toConfig();
      const isOneOf = type.isOneOf || type.extensions[ONE_OF] === true;
      return new GraphQLInputObjectType({ ...config, isOneOf, fields: () => this.#members(fields) });
    }
    if (isUnionType(type)) {
      const { types, ...config } = type.toConfig();
      return new GraphQLUnionType({ ...config, types: () => types.map((one) => this.of(one)) });
    }
    if (!isObjectType(type) && !isInterfaceType(type)) return this.leafOf(type);
    const { fields, interfaces, ...config } = type.toConfig();
    const also = type.extensions[ALSO];
    if (also && this.view === 'graphql') config.description = `${type.description} ${also}`;
    const shape = {
      interfaces: () => interfaces.map((one) => this.of(one)),
      fields: () => this.#fields(fields),
    };
    return isObjectType(type)
      ? new GraphQLObjectType({ ...(config as ReturnType<GraphQLObjectType['toConfig']>), ...shape })
      : new GraphQLInterfaceType({ ...(config as ReturnType<GraphQLInterfaceType['toConfig']>), ...shape });
  }

  /** The members that the view has, in its words. */
  #own<T extends Member>(members: Record<string, T>): [string, T][] {
    const shown = Object.entries(members).filter(([, member]) => (onlyIn(member) ?? this.view) === this.view);
    if (this.view === 'graphql') return shown;
    return shown.map(([name, member]) => {
      const description = member.extensions?.[REST_TEXT];
      return [name, description === undefined ? member : { ...member, description }];
    });
  }

  #fields(fields: Record<string, FieldConfig>): Record<string, FieldConfig> {
    const made = this.#own(fields).map(([name, field]) => {
      const args = this.#own(field.args ?? {}).map(([arg, own]) => [
        arg,
        { ...own, type: this.of(own.type) },
      ]);
      const type = this.of(field.type);
      const isOptional = failsAlone(field) || field.extensions?.[OPTIONAL];
      const shown = this.view === 'graphql' && isOptional ? getNullableType(type) : type;
      return [name, { ...field, type: shown, args: Object.fromEntries(args) }];
    });
    return Object.fromEntries(made);
  }

  #members(fields: Record<string, GraphQLInputFieldConfig>): Record<string, GraphQLInputFieldConfig> {
    const made = this.#own(fields).map(([name, field]) => {
      const type = this.of(field.type);
      // REST says null for what is absent: its defaults are in the descriptions.
      if (this.view === 'graphql' || field.defaultValue === undefined) return [name, { ...field, type }];
      return [name, { ...field, type: getNullableType(type), defaultValue: undefined }];
    });
    return Object.fromEntries(made);
  }
}

/**
 * Returns the schema as one interface has it: without members of the other one, and without types that nothing names
 * then. The resolvers are the same.
 * @param leafOf returns the view's form of a scalar or an enum
 */
export function schemaOf(
  whole: GraphQLSchema,
  view: View,
  leafOf: (type: GraphQLNamedType) => GraphQLNamedType = (type) => type,
): GraphQLSchema {
  const making = new Making(view, leafOf);
  const root = (type: GraphQLObjectType | null | undefined) => type && making.of(type);
  const implementing = Object.values(whole.getTypeMap()).filter(
    (type) => isObjectType(type) && type.getInterfaces().length > 0,
  );
  return new GraphQLSchema({
    description: whole.description,
    query: root(whole.getQueryType()),
    mutation: root(whole.getMutationType()),
    subscription: root(whole.getSubscriptionType()),
    types: implementing.map((type) => making.of(type)),
    directives: view === 'graphql' ? whole.getDirectives() : specifiedDirectives,
    extensions: whole.extensions,
    assumeValid: true,
  });
}
