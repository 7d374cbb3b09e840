import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLEnumType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql';
import { RIGHT_TEXTS, type Role } from '../rights.js';

const roles: Readonly<Record<Role, string>> = {
  admin: 'Administrators with one of the rights, by API key.',
  superadmin: 'Administrators whose user is a superadmin.',
  client: 'Game clients, by access token.',
  anyone: 'Anyone, with or without a credential.',
};

export const AllowedRole = new GraphQLEnumType({
  name: 'AllowedRole',
  description: 'A kind of caller.',
  values: Object.fromEntries(
    Object.entries(roles).map(([value, description]) => [value.toUpperCase(), { value, description }]),
  ),
});

export const AllowedRight = new GraphQLEnumType({
  name: 'AllowedRight',
  description: 'A right of administrators.',
  values: Object.fromEntries(
    Object.entries(RIGHT_TEXTS).map(([value, description]) => [value.toUpperCase(), { value, description }]),
  ),
});

/** Who may use a field, in schemas as text: `Allow` (access.ts) in the code. */
export const ALLOW = new GraphQLDirective({
  name: 'allow',
  description:
    'Who may use a field. Every field of Query, Mutation and Subscription has it. A deeper field that has ' +
    'it is null for everyone else; one without it is open to whoever reads its object, unless its ' +
    'description says otherwise.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    roles: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(AllowedRole))) },
    rights: {
      type: new GraphQLList(new GraphQLNonNull(AllowedRight)),
      description:
        'For `ADMIN`: one of these is enough. Absent in a hooks module: `READ`, on mutations `CONFIGURE`.',
    },
  },
});

/** A field's `complexity` in schemas as text. */
export const COST = new GraphQLDirective({
  name: 'cost',
  description: 'What a field adds to the cost of an operation, in records, on top of its selection.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: { weight: { type: new GraphQLNonNull(GraphQLInt) } },
});

/** As Relay and Apollo's clients know it. */
export const SEMANTIC_NON_NULL = new GraphQLDirective({
  name: 'semanticNonNull',
  description: 'The field is null only if it failed: `errors` then has an error with its path.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: { levels: { type: new GraphQLList(GraphQLInt), defaultValue: [0] } },
});
