import {
  defaultFieldResolver,
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

const SCALARS: Record<string, string> = {
  ...{ ID: 'string', String: 'string', Int: 'number', Float: 'number', Boolean: 'boolean' },
  ...{ DateTime: 'Date', JSONObject: 'Record<string, unknown>' },
};

/** Fields of records that hooks do not see. */
const UNSEEN: Record<string, string[]> = { Board: ['seriesNumber', 'rehearsalOfId'] };

/** Stored fields that the API shows in part to some readers. */
const SHOWN_IN_PART: Record<string, string[]> = { Board: ['tickets'] };

/** What hooks modules can name; the rest is part of these. */
const EXPORTED = 'NewBoard Board NewBoardTemplate NewRatioConfig NewDimension Dimension NewView'.split(' ');

/** `NewBoard` for `CreateBoardInput`, `NewView` for `BoardViewInput`. */
function nameOf({ name }: GraphQLNamedType): string {
  return name.replace(/^(?:Create|Board(?=View))?(\w+)Input$/, 'New$1');
}

function typeOf(type: GraphQLType, seen: Set<GraphQLNamedType>): string {
  if (isNonNullType(type)) return typeOf(type.ofType, seen);
  if (isListType(type)) return `${typeOf(type.ofType, seen).replace(/^(.* .*)$/, '($1)')}[]`;
  const named = getNamedType(type);
  if (isEnumType(named))
    return named
      .getValues()
      .map(({ value }) => `'${value}'`)
      .join(' | ');
  if (SCALARS[named.name]) return SCALARS[named.name]!;
  seen.add(named);
  return nameOf(named);
}

function membersOf(type: GraphQLNamedType, seen: Set<GraphQLNamedType>): string[] {
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map(({ name, type: of, defaultValue }) => {
      const isRequired = isNonNullType(of) && defaultValue === undefined;
      return `  ${name}${isRequired ? `: ${typeOf(of, seen)}` : `?: ${typeOf(of, seen)} | null`};`;
    });
  }
  if (!isObjectType(type)) throw new Error(`hooks get no ${type.name}`);
  const stored = Object.values(type.getFields()).filter(
    ({ name, resolve }) =>
      (!resolve || resolve === defaultFieldResolver || SHOWN_IN_PART[type.name]?.includes(name)) &&
      !UNSEEN[type.name]?.includes(name),
  );
  return stored.map(
    ({ name, type: of }) => `  ${name}: ${typeOf(of, seen)}${isNonNullType(of) ? '' : ' | null'};`,
  );
}

/** The types of boards and templates as hooks get them, from the schema. */
export function hookTypes(schema: GraphQLSchema): string {
  const names = ['CreateBoardInput', 'CreateBoardTemplateInput', 'Board'];
  const seen = new Set(names.map((name) => schema.getType(name)!));
  // Types that members name are added while this runs.
  const parts = [
    ...(function* () {
      for (const type of seen)
        yield `${EXPORTED.includes(nameOf(type)) ? 'export ' : ''}interface ${nameOf(type)} {\n${membersOf(type, seen).join('\n')}\n}\n`;
    })(),
  ];
  return `// Printed by "npm run contract". Ids are prefixed; absent or null members of New… take their defaults.\n\n${parts.join('\n')}`;
}
