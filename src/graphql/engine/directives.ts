import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLEnumType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';
import type { Role } from '../access.js';

const roles: Readonly<Record<Role, string>> = {
  admin: 'Administrators, by API key.',
  superadmin: 'Administrators whose user is superadmin.',
  client: 'Game clients, by access token.',
  anyone: 'Everybody, with or without a credential.',
};

export const AllowedRole = new GraphQLEnumType({
  name: 'AllowedRole',
  description: 'Who may use a field.',
  values: Object.fromEntries(
    Object.entries(roles).map(([value, description]) => [value.toUpperCase(), { value, description }]),
  ),
});

/** A field's roles in schemas as text: `Allow` (access.ts) in the code. */
export const ALLOW = new GraphQLDirective({
  name: 'allow',
  description:
    'The roles that may use a field. Every field of Query, Mutation and Subscription has it; any other field has the access of the object it is read from, and may narrow it.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: { roles: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(AllowedRole))) } },
});

/** A field's `complexity` in schemas as text. */
export const COST = new GraphQLDirective({
  name: 'cost',
  description:
    'The number of records that a field stands for in the cost of an operation, besides those of its selection.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: { weight: { type: new GraphQLNonNull(GraphQLInt) } },
});

/** As Relay and Apollo's clients know it. */
export const SEMANTIC_NON_NULL = new GraphQLDirective({
  name: 'semanticNonNull',
  description: 'The field is null only where it failed: `errors` then has an error with its path.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: { levels: { type: new GraphQLList(GraphQLInt), defaultValue: [0] } },
});
