import {
  astFromValue,
  type ConstArgumentNode,
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  type InputValueDefinitionNode,
  isObjectType,
  Kind,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printSchema,
} from 'graphql';
import { type Grant, rightsIn, rolesOf, shownGrants } from '../rights.js';
import { failsAlone } from '../views.js';
import { ALLOW, COST, SEMANTIC_NON_NULL } from './directives.js';
import { ReadingOrder } from './reading-order.js';

type Field = GraphQLField<unknown, unknown>;

/** @param values of the directive's arguments; absent: their defaults */
function applied(directive: GraphQLDirective, values: Record<string, unknown> = {}): ConstDirectiveNode {
  const args = directive.args.filter(({ name }) => values[name] !== undefined);
  return {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: directive.name },
    arguments: args.map(
      ({ name, type }): ConstArgumentNode => ({
        kind: Kind.ARGUMENT,
        name: { kind: Kind.NAME, value: name },
        value: astFromValue(values[name], type) as never,
      }),
    ),
  };
}

function allowed(grants: readonly Grant[]): ConstDirectiveNode {
  const rights = rightsIn(grants);
  return applied(ALLOW, { roles: rolesOf(grants), ...(rights.length > 0 && { rights }) });
}

function directivesOf(field: Field): ConstDirectiveNode[] {
  const grants = shownGrants(field.extensions);
  const weight = field.extensions.complexity;
  return [
    ...(failsAlone(field) ? [applied(SEMANTIC_NON_NULL)] : []),
    ...(grants ? [allowed(grants)] : []),
    ...(weight ? [applied(COST, { weight })] : []),
  ];
}

/** The last arguments of a list. */
const PAGE = ['filter', 'orderBy', 'first', 'after', 'last', 'before'];

type Input = InputValueDefinitionNode;

const isOptional = ({ type, defaultValue }: Input) =>
  type.kind !== Kind.NON_NULL_TYPE || defaultValue !== undefined;

/** The order of arguments: what is required, then by name, as the builder's order depends on the compiler. */
function byPlace(a: Input, b: Input) {
  const place = ({ name }: Input) => PAGE.indexOf(name.value);
  const order = place(a) - place(b) || Number(isOptional(a)) - Number(isOptional(b));
  return order || (a.name.value < b.name.value ? -1 : 1);
}

/** The order of an input's fields: the id, what is required, the others. */
function byNeed(a: Input, b: Input) {
  const rank = (one: Input) => (one.name.value === 'id' ? 0 : isOptional(one) ? 2 : 1);
  return rank(a) - rank(b);
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
    if (node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) {
      return { ...node, fields: node.fields?.toSorted(byNeed) };
    }
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
