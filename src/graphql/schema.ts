import {
  assertValidSchema,
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isObjectType,
  specifiedDirectives,
} from 'graphql';
import { buildSchemaSync, type ClassType, type NonEmptyArray, type ResolverData } from 'type-graphql';
import { DomainError, invalid } from '../base/errors.js';
import { checkAccess, guardBelow, refuseElsewhere } from './access.js';
import type { Context, Feed, ServiceResolvers } from './context.js';
import { ALLOW, COST, SEMANTIC_NON_NULL } from './engine/directives.js';
import { passParts } from './engine/json-cache.js';
import { faultsOfInput } from './input-checks.js';
import type { LiveExtensions } from './live/operation.js';
import type { Watched } from './live/watched.js';
import { NodeResolver, type NodeSource, resolveReferences } from './node.js';
import { type Grant, grantsOf } from './rights.js';
import { markFailingAlone, schemaOf } from './views.js';

type FieldResolver = GraphQLFieldResolver<unknown, Context>;

/** Subscriptions bring their own iterators, but the schema builder requires an object. */
const NO_PUBSUB = {
  subscribe(): never {
    throw new Error('A subscription must name its own iterator');
  },
  publish: () => undefined,
};

/** A live field's feed does not depend on its selection. */
const NO_INFO = undefined as unknown as GraphQLResolveInfo;

/** Returns the account that a root field's arguments name, as sent. */
function namedAccount(args: Record<string, unknown>): unknown {
  const input = args.input as Record<string, unknown> | null | undefined;
  return args.accountId ?? input?.accountId;
}

function guarded(name: string, grants: Grant[], resolve: FieldResolver): FieldResolver {
  return (source, args, context, info) => {
    const account = namedAccount(args);
    checkAccess(grants, context, account, name);
    const run = () => resolve(source, args, context, info);
    return refuseElsewhere(context, account)?.then(run) ?? run();
  };
}

/** Clears the loaders after a mutation: later fields must not show records read before it. */
function clearing(resolve: FieldResolver): FieldResolver {
  return async (source, args, context, info) => {
    try {
      return await resolve(source, args, context, info);
    } finally {
      context.loaders.clear();
    }
  };
}

/** Clears the loaders before every event of a subscription. */
function withFreshLoaders(resolve: FieldResolver): FieldResolver {
  return (source, args, context, info) => {
    context.loaders.clear();
    return resolve(source, args, context, info);
  };
}

/** The state of a live field is the value of its root field. */
const sharedResult: FieldResolver = (state) => state;

function notHere(): never {
  throw new DomainError(
    'BAD_REQUEST',
    'Connect over WebSocket, or use the REST stream, to use this subscription.',
  );
}

/** Gives a subscription field its event source: the module's feed, or the feed that its resolver returns (live/). */
function prepareSubscription(
  field: GraphQLField<unknown, Context>,
  grants: Grant[],
  feed: Feed | undefined,
): void {
  const resolve = field.resolve as FieldResolver;
  if (feed) {
    field.subscribe = guarded(field.name, grants, (_source, args, context) => feed(args, context));
    field.resolve = withFreshLoaders(resolve);
    return;
  }
  const open = guarded(field.name, grants, resolve);
  field.extensions = {
    ...field.extensions,
    open: async (args, context) => open(undefined, args, context, NO_INFO) as Promise<Watched>,
  } satisfies LiveExtensions & object;
  field.subscribe = notHere;
  field.resolve = sharedResult;
}

function guardRoots(schema: GraphQLSchema, feeds: ReadonlyMap<string, Feed>): void {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  for (const root of roots.filter(isObjectType)) {
    for (const field of Object.values(root.getFields())) {
      const grants = grantsOf(field.extensions);
      if (!grants)
        throw new Error(`${root.name}.${field.name} does not say who may use it: decorate it with @Allow`);
      const resolve = field.resolve as FieldResolver;
      if (root === schema.getSubscriptionType()) {
        prepareSubscription(field, grants, feeds.get(field.name));
      } else {
        const run = root === schema.getMutationType() ? clearing(resolve) : resolve;
        field.resolve = guarded(field.name, grants, run);
      }
    }
  }
}

/** Members of a page that may be functions, called on request: compiled operations call no property by themselves. */
const CALLED_MEMBERS: readonly [type: RegExp, field: RegExp][] = [
  [/^PageInfo$/, /./],
  [/Edge$/, /^cursor$/],
  [/^Ranking$|Connection$/, /^totalCount$/],
  [/^Entry$/, /^percentile$/],
];

function callFacts(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    const names = CALLED_MEMBERS.filter(([pattern]) => pattern.test(type.name)).map(([, field]) => field);
    for (const field of Object.values(type.getFields())) {
      if (names.some((name) => name.test(field.name))) field.resolve ??= defaultFieldResolver;
    }
  }
}

/** Returns a record of any kind, with the caller's rights; null: there is none. */
export type FindRecord = (id: string, context: Context) => Promise<object | null>;

/** A schema with fields of an extension, whose root fields state who may use them as {@link grantsOf} reads it. */
export interface Extended {
  schema: GraphQLSchema;
  /** The event source of each subscription field that was added. */
  feeds: Record<string, Feed>;
}

/**
 * Adds fields to the service's own schema before access is guarded.
 * @param shown returns the schema that callers see, once it is built
 */
export type Extend = (own: GraphQLSchema, find: FindRecord, shown: () => GraphQLSchema) => Extended;

const ABOUT = `Leaderboards for games, for three kinds of callers: administrators (an API key in the header \`service-api-key\`, or as the operator named it), game clients (an access token in \`authorization: Bearer …\`) and visitors (no credential).

A root field that the caller may not use fails with an error, whose \`extensions.code\` says why. A deeper field that the caller may not read is null; its description says so. A record next to its id, such as \`board\` next to \`boardId\`, is null if it was deleted or the caller may not read it.`;

const ROOTS: Readonly<Record<string, string>> = {
  Query:
    'Reads. A field that fails is null and has an error in `errors`; the other fields keep their values. A record that does not exist or was deleted fails with NOT_FOUND, one that belongs to others with FORBIDDEN.',
  Mutation:
    'Writes, one after another. Each is committed before the response, and changes nothing if it fails.',
  Subscription:
    'Live reads over WebSocket (graphql-transport-ws) and server-sent events (graphql-sse). Each message has the latest state, so that nothing has to be added up.',
};

function describe(schema: GraphQLSchema): void {
  schema.description = ABOUT;
  for (const [name, text] of Object.entries(ROOTS)) schema.getType(name)!.description = text;
}

/** The service's schema. */
export interface ServiceSchema {
  /** The schema with the members that only REST has, which is derived from it. */
  whole: GraphQLSchema;
  /** What Apollo, the sockets and the pages execute. */
  schema: GraphQLSchema;
}

/** The resolvers of one service, by their classes. */
export class ModuleResolvers implements ServiceResolvers {
  readonly #nodes: NodeResolver;
  readonly #instances: ReadonlyMap<ClassType, object>;
  readonly #feeds: ReadonlyMap<string, Feed>;

  constructor(modules: Module[]) {
    this.#nodes = new NodeResolver(modules.flatMap((module) => module.nodes));
    const instances = [this.#nodes, ...modules.flatMap((module) => module.resolvers)];
    this.#instances = new Map(instances.map((instance) => [instance.constructor as ClassType, instance]));
    this.#feeds = new Map(modules.flatMap((module) => Object.entries(module.feeds ?? {})));
  }

  get classes(): ClassType[] {
    return [...this.#instances.keys()];
  }

  /** Names of the subscription fields with a feed of their module. */
  get feeds(): string[] {
    return [...this.#feeds.keys()];
  }

  get(resolver: ClassType): object {
    const instance = this.#instances.get(resolver);
    if (!instance) throw new Error(`No instance of ${resolver.name} was given to the schema`);
    return instance;
  }

  feed(name: string): Feed {
    return this.#feeds.get(name)!;
  }

  find(id: string, context: Context): Promise<object | null> {
    return this.#nodes.find(['id'], id, context);
  }

  findReferenced(id: string, context: Context): Promise<object | null> {
    return this.#nodes.findReferenced(id, context);
  }
}

/** Built once a process: it takes longer than everything else at the start of a service. */
let shared: (ServiceSchema & { classes: ClassType[] }) | undefined;

/**
 * Returns the one schema of all modules' resolvers, which the services of a process share: a request's context says
 * whose resolvers run.
 * @param extend makes a schema of this service alone
 */
export function serviceSchema(resolvers: ModuleResolvers, extend?: Extend): ServiceSchema {
  if (extend) return buildSchema(resolvers, extend);
  const { classes } = resolvers;
  shared ??= { ...buildSchema(resolvers), classes };
  const other = classes.find((type, index) => type !== shared!.classes[index]);
  if (other)
    throw new Error(`${other.name} is another class than before: define it where its file is loaded`);
  return shared;
}

function buildSchema(resolvers: ModuleResolvers, extend?: Extend): ServiceSchema {
  const own = buildSchemaSync({
    resolvers: resolvers.classes as NonEmptyArray<ClassType>,
    container: ({ context }: ResolverData<Context>) => context.resolvers,
    validateFn: validateArgument,
    pubSub: NO_PUBSUB,
    directives: [...specifiedDirectives, ALLOW, COST, SEMANTIC_NON_NULL],
    // The check would execute the whole introspection query for no other purpose.
    skipCheck: true,
  });
  describe(own);
  resolveReferences(own, (id, context) => context.resolvers.findReferenced(id, context));
  markFailingAlone(own);
  assertValidSchema(own);
  const find: FindRecord = (id, context) => context.resolvers.find(id, context);
  const { schema: whole, feeds } = extend?.(own, find, () => schema) ?? { schema: own, feeds: {} };
  callFacts(whole);
  passParts(whole);
  guardBelow(whole);
  const ofModule =
    (name: string): Feed =>
    (args, context) =>
      context.resolvers.feed(name)(args, context);
  const ofModules = resolvers.feeds.map((name) => [name, ofModule(name)] as const);
  guardRoots(whole, new Map([...ofModules, ...Object.entries(feeds)]));
  const schema: GraphQLSchema = schemaOf(whole, 'graphql');
  return { whole, schema };
}

/** The parts of the service that a domain module provides. Made by one function of the module, called by app.ts. */
export interface Module {
  /** One instance of each resolver class; its dependencies came through the constructor. */
  resolvers: object[];
  nodes: NodeSource[];
  /** The event source of each subscription field of the module, by field name. Arguments are coerced only. */
  feeds?: Record<string, Feed>;
  /** Awaits background work (e.g. the update of a key's last use). */
  close?(): Promise<void>;
}

/**
 * The `subscribe` of every subscription field. The schema replaces it with the module's feed of the field's name;
 * without a feed the field is live: its resolver returns the feed to watch (live/watched.ts).
 */
export function moduleFeed(): never {
  throw new Error('The schema was built without preparing this subscription');
}

function isPlain(value: object): boolean {
  if (value instanceof Date) return true;
  const prototype = Object.getPrototypeOf(value);
  // Objects that GraphQL reads from a literal have none.
  return prototype === Object.prototype || prototype === null;
}

/**
 * Validates an argument against the rules of its class. The schema calls it for every argument of every resolver.
 * @throws DomainError VALIDATION_FAILED; `loc` begins with the field's own name (camelCase), not with "input"
 */
function validateArgument(value: unknown): void {
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item !== 'object' || item === null || isPlain(item)) continue;
    const details = faultsOfInput(item);
    if (details.length > 0) throw invalid(details);
  }
}
