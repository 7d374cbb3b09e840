import type { GraphQLField, GraphQLSchema } from 'graphql';
import type { RestRoute } from '../../routes/rest-route.js';
import { routeGroups } from '../../routes/routes.js';

type RootKind = 'query' | 'mutation' | 'subscription';

/** A field of Query, Mutation or Subscription. */
export interface RootField {
  kind: RootKind;
  field: GraphQLField<unknown, unknown>;
  /** The REST routes that run it. */
  routes: RestRoute[];
}

/** The section of what belongs to no other one, fields of an installation's own among them. */
export const SERVICE = 'Service';

/** Fields that no route runs and whose names don't say where they belong, by section. */
export const PLACED: Record<string, string[]> = {
  Registration: [
    'addPasskey',
    'endConsoleSession',
    'newPasskeyOptions',
    'passkeySignInOptions',
    'removePasskey',
    'resetPasskeys',
    'signInWithPasskey',
    'updatePasskey',
  ],
  'Single sign-on': [
    'addProviderLink',
    'redeemProviderCode',
    'removeProviderLink',
    'signInWithProvider',
    'startProviderLink',
    'startProviderSignIn',
  ],
  Boards: ['previewBoardChange'],
  'Game clients': ['issueNonces'],
  'Score flags': [
    'createComment',
    'deleteComment',
    'flaggedPlayers',
    'previewFairPlay',
    'previewScoreFlagReview',
  ],
  [SERVICE]: ['jobs', 'node', 'nodes', 'restore', 'search'],
};

const VERBS = /^(create|delete|preview|public|review|undo)(?=[A-Z])/;

/** What a field is about, from its name: `deleteGame` and `game` are about a game, as is `gameChanged`. */
function nounsOf(name: string): string[] {
  const noun = name.replace(VERBS, '').replace(/Picture$/, '');
  const event = noun.replace(/(Changed|Raised|Reviewed|ged)$/, '');
  return [noun, event].flatMap((word) => [word, word.replace(/s$/, '')]).map((word) => word.toLowerCase());
}

export function rootFields(schema: GraphQLSchema, routes: RestRoute[]): RootField[] {
  const roots = [
    ['query', schema.getQueryType()],
    ['mutation', schema.getMutationType()],
    ['subscription', schema.getSubscriptionType()],
  ] as const;
  return roots.flatMap(([kind, type]) =>
    Object.values(type?.getFields() ?? {}).map((field) => {
      const own = routes.filter((rest) => [rest, rest.variant].some((one) => one?.field.name === field.name));
      return { kind, field, routes: own };
    }),
  );
}

/** Returns the section of each root field: that of the route that runs it, else of what it is about. */
export function sectionsOf(fields: RootField[]): Map<string, string> {
  const sections = new Map<string, string>();
  for (const { field, routes } of fields) {
    const group = routeGroups.find((one) => routes.some(({ route }) => one.routes.includes(route)));
    const placed = Object.keys(PLACED).find((name) => PLACED[name]!.includes(field.name));
    const section = group?.name ?? placed;
    if (section !== undefined) sections.set(field.name, section);
  }
  const byNoun = new Map<string, string>();
  for (const [name, section] of sections) byNoun.set(nounsOf(name)[0]!, section);
  for (const { field } of fields.filter((one) => !sections.has(one.field.name))) {
    const section = nounsOf(field.name).flatMap((noun) => byNoun.get(noun) ?? [])[0];
    sections.set(field.name, section ?? SERVICE);
  }
  return sections;
}
