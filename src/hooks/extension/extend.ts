import { mergeSchemas } from '@graphql-tools/schema';
import { forEachDefaultValue, parseInputValue } from '@graphql-tools/utils';
import { assertValidSchema, type GraphQLObjectType, type GraphQLSchema } from 'graphql';
import { DomainError, present } from '../../base/errors.js';
import type { Context, Feed } from '../../graphql/context.js';
import type { Extended, FindRecord } from '../../graphql/schema.js';
import type { RefusingTools, Resolvers, SubscriptionResolver } from '../hooks.js';
import { within } from '../tools.js';
import { ModuleEvents, ResolverContexts } from './context.js';
import { readDefinitions, readRules, refuseProblems, withoutRules } from './definitions.js';
import { type Call, faultsOf, wrapped } from './resolvers.js';

interface Extension {
  typeDefs: readonly string[];
  resolvers: Resolvers;
  toolsOf: (context: Context) => RefusingTools;
  /** Longest time of a resolver. */
  longestMillis: number;
}

/** A refusal is for the caller. Anything else is the module's fault: INTERNAL, logged with its cause. */
function extensionFault(name: string, error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const fault = new Error(`The resolver ${name} of HOOKS_MODULE failed`, { cause: error });
  return Object.assign(present(fault), { cause: fault });
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function';
}

/** Limits a resolver's time and hides its errors; a value that is available immediately costs no timer. */
function limited(longestMillis: number): Call {
  return (name, run) => {
    try {
      const value = run();
      if (!isPromise(value)) return value;
      return within(longestMillis, async () => value).catch((error: unknown) => {
        throw extensionFault(name, error);
      });
    } catch (error) {
      throw extensionFault(name, error);
    }
  };
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as AsyncIterable<unknown> | null)?.[Symbol.asyncIterator] === 'function';
}

function feedOf(
  name: string,
  { subscribe }: SubscriptionResolver<unknown>,
  contexts: ResolverContexts,
  longestMillis: number,
): Feed {
  const open = async (args: unknown, context: Context) => {
    const ending = new AbortController();
    const end = () => ending.abort();
    const fault = (error: unknown) => extensionFault(name, error);
    const ask = async () => subscribe(undefined, args, { ...contexts.of(context), signal: ending.signal });
    const made = (events: unknown) => {
      if (!isAsyncIterable(events)) throw new Error('subscribe must return an async iterable');
      return new ModuleEvents(events, end, fault);
    };
    try {
      return made(await within(longestMillis, ask, (late) => isAsyncIterable(late) && made(late).return()));
    } catch (error) {
      end();
      throw fault(error);
    }
  };
  // The library awaits it.
  return open as unknown as Feed;
}

/**
 * Adds the module's fields to the service's schema, before access is guarded.
 * @throws SetupError with a sentence for each fault
 */
export function extendSchema(
  own: GraphQLSchema,
  extension: Extension,
  find: FindRecord,
  shown: () => GraphQLSchema,
): Extended {
  const { typeDefs, resolvers, toolsOf, longestMillis } = extension;
  const definitions = readDefinitions(own, typeDefs);
  const { rules, problems } = readRules(definitions);
  refuseProblems([...problems, ...faultsOf(own, definitions, resolvers)]);
  const contexts = new ResolverContexts(toolsOf, find, shown);
  const call = limited(longestMillis);
  const schema = mergeSchemas({
    schemas: [own],
    typeDefs: withoutRules(definitions.document),
    resolvers: wrapped(own, definitions, rules, resolvers, call, (context) => contexts.of(context)),
    assumeValidSDL: true,
  });
  // The library leaves names of enum values in defaults that are input objects.
  forEachDefaultValue(schema, parseInputValue);
  assertValidSchema(schema);
  for (const [name, found] of rules) {
    const [type, field] = name.split('.') as [string, string];
    const target = (schema.getType(type) as GraphQLObjectType).getFields()[field]!;
    target.extensions = { ...target.extensions, ...found };
  }
  const events = schema.getSubscriptionType()?.name ?? '';
  const feeds = definitions.added
    .filter(({ type }) => type === events)
    .map(({ field: { name } }) => {
      const resolver = resolvers[events]![name] as SubscriptionResolver<unknown>;
      return [name, feedOf(`${events}.${name}`, resolver, contexts, longestMillis)] as const;
    });
  return { schema, feeds: Object.fromEntries(feeds) };
}
