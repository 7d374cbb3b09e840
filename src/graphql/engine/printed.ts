import {
  astFromValue,
  type ConstArgumentNode,
  type ConstDirectiveNode,
  type DefinitionNode,
  defaultFieldResolver,
  type FieldDefinitionNode,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  type InputValueDefinitionNode,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printSchema,
} from 'graphql';
import { prefixes } from '../../base/ids.js';
import { rolesOf } from '../access.js';
import { failsAlone } from '../views.js';
import { ALLOW, COST, SEMANTIC_NON_NULL } from './directives.js';

type Field = GraphQLField<unknown, unknown>;

/** @param value of the directive's argument; absent: its default */
function applied(directive: GraphQLDirective, value?: unknown): ConstDirectiveNode {
  const [argument] = directive.args;
  const given: ConstArgumentNode = {
    kind: Kind.ARGUMENT,
    name: { kind: Kind.NAME, value: argument!.name },
    value: astFromValue(value, argument!.type) as never,
  };
  return {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: directive.name },
    arguments: value === undefined ? [] : [given],
  };
}

function directivesOf(field: Field): ConstDirectiveNode[] {
  const roles = rolesOf(field.extensions);
  const weight = field.extensions.complexity;
  return [
    ...(failsAlone(field) ? [applied(SEMANTIC_NON_NULL)] : []),
    ...(roles ? [applied(ALLOW, roles)] : []),
    ...(weight ? [applied(COST, weight)] : []),
  ];
}

/** True for a field that is only read from its object: its place in the class does not depend on the order of loading. */
function isStored({ resolve }: Field): boolean {
  return resolve === undefined || resolve === defaultFieldResolver;
}

/** Orders a schema for its readers: roots first, then each kind of record with all that belongs to it. */
class ReadingOrder {
  readonly #records: GraphQLNamedType[];
  readonly #roots: GraphQLObjectType[];
  readonly #seen = new Set<GraphQLNamedType>();

  constructor(private readonly schema: GraphQLSchema) {
    const byName = Object.keys(prefixes).map((kind) =>
      schema.getType(kind[0]!.toUpperCase() + kind.slice(1)),
    );
    const nodes = schema.getPossibleTypes(schema.getType('Node') as never).toSorted(byNames);
    this.#records = [...new Set([...byName.filter(isObjectType), ...nodes])];
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    this.#roots = roots.filter(isObjectType);
  }

  types(): GraphQLNamedType[] {
    const all = Object.values(this.schema.getTypeMap())
      .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
      .toSorted(byNames);
    for (const { args } of this.schema.getDirectives()) {
      for (const { type } of args) this.#see(getNamedType(type));
    }
    for (const type of all) if (isScalarType(type) || isInterfaceType(type)) this.#seen.add(type);
    for (const root of this.#roots) this.#seen.add(root);
    const fields = this.#roots.flatMap((root) => this.fields(root));
    for (const record of this.#records) {
      this.#see(record, record);
      for (const type of all) if (this.#held(type) === record) this.#see(type, record);
      for (const field of fields) if (this.#recordOf(field) === record) this.#seeField(field, record);
    }
    for (const field of fields) this.#seeField(field);
    for (const type of all) this.#see(type, type);
    return [...this.#seen].filter((type) => all.includes(type));
  }

  /** The fields in their order: of roots by record, of other types those of the class before those of resolvers. */
  fields(type: GraphQLObjectType): Field[] {
    const fields = Object.values(type.getFields());
    const byName = fields.toSorted(byNames);
    if (!this.#roots.includes(type)) {
      return [...fields.filter(isStored), ...byName.filter((field) => !isStored(field))];
    }
    const rank = (field: Field) => this.#records.indexOf(this.#recordOf(field)!);
    const placed = byName.filter((field) => rank(field) >= 0).toSorted((a, b) => rank(a) - rank(b));
    return [...placed, ...byName.filter((field) => rank(field) < 0)];
  }

  /** The record of a root field: the longest whose name it contains, else the one that it returns. */
  #recordOf({ name, type }: Field): GraphQLNamedType | undefined {
    const text = name.toLowerCase().replace(/ties$/, 'ty');
    const named = this.#records.filter((record) => text.includes(record.name.toLowerCase()));
    if (named.length > 0) return named.reduce((a, b) => (b.name.length > a.name.length ? b : a));
    const payload = getNamedType(type);
    const held = isObjectType(payload) ? Object.values(payload.getFields()) : [];
    return held.map((field) => getNamedType(field.type)).find((one) => this.#records.includes(one));
  }

  #seeField({ args, type }: Field, record?: GraphQLNamedType): void {
    for (const argument of args) this.#see(getNamedType(argument.type), record);
    this.#see(getNamedType(type), record);
  }

  /** Adds a type and what it consists of; records and their lists have places of their own. */
  #see(type: GraphQLNamedType, record?: GraphQLNamedType): void {
    if (this.#seen.has(type) || isSpecifiedScalarType(type)) return;
    const held = this.#held(type);
    if (this.#records.includes(held) && held !== record) return;
    this.#seen.add(type);
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) this.#see(getNamedType(field.type), record);
    } else if (isUnionType(type)) for (const one of type.getTypes()) this.#see(one, record);
    else if (isObjectType(type)) for (const field of this.fields(type)) this.#seeField(field, record);
  }

  /** The record that a list holds, else the type itself. */
  #held(type: GraphQLNamedType): GraphQLNamedType {
    if (!isObjectType(type) || !/(Connection|Edge)$/.test(type.name)) return type;
    const { node, nodes } = type.getFields();
    return node || nodes ? getNamedType((node ?? nodes)!.type) : type;
  }
}

function byNames(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** The last arguments of a list. */
const PAGE = ['filter', 'orderBy', 'first', 'after', 'last', 'before'];

/** The order of arguments that the builder gives them depends on the compiler. */
function byPlace(
  { name: { value: a } }: InputValueDefinitionNode,
  { name: { value: b } }: InputValueDefinitionNode,
) {
  return PAGE.indexOf(a) - PAGE.indexOf(b) || (a < b ? -1 : 1);
}

/** The schema as text, in the order of reading, with the roles and costs of its fields. */
export function printed(schema: GraphQLSchema): string {
  const order = new ReadingOrder(schema);
  const { definitions } = parse(printSchema(schema));
  const named = new Map(
    definitions.map((node) => [(node as { name?: { value: string } }).name?.value, node] as const),
  );
  const ofType = (type: GraphQLNamedType): DefinitionNode => {
    const node = named.get(type.name)!;
    if (!isObjectType(type)) return node;
    const nodes = new Map(
      (node as ObjectTypeDefinitionNode).fields?.map((field) => [field.name.value, field]),
    );
    const fields = order.fields(type).map((field): FieldDefinitionNode => {
      const { arguments: args = [], directives = [], ...rest } = nodes.get(field.name)!;
      return {
        ...rest,
        arguments: args.toSorted(byPlace),
        directives: [...directives, ...directivesOf(field)],
      };
    });
    return { ...(node as ObjectTypeDefinitionNode), fields };
  };
  const first = definitions.filter(({ kind }) => {
    return kind === Kind.SCHEMA_DEFINITION || kind === Kind.DIRECTIVE_DEFINITION;
  });
  return `${[...first, ...order.types().map(ofType)].map(print).join('\n\n')}\n`;
}
