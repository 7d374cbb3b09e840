import {
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isScalarType,
  isUnionType,
} from 'graphql';
import { hasRole } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import type { Resolver, Resolvers, SubscriptionResolver } from '../hooks.js';
import type { AddedField, Definitions, FieldRules } from './definitions.js';

/** Calls a function of the module: limits its time and hides its faults. */
export type Call = (name: string, run: () => unknown) => unknown;

/** Makes the context of the module's resolvers. */
type ContextOf = (context: Context) => Parameters<Resolver>[2];

type Wrapped = GraphQLFieldResolver<unknown, Context>;
type AnyResolver = (parent: unknown, args: unknown, context: ReturnType<ContextOf>) => unknown;

function isSubscriptionResolver(value: unknown): value is SubscriptionResolver & { resolve?: AnyResolver } {
  const { subscribe, resolve } = (value ?? {}) as Partial<SubscriptionResolver>;
  return typeof subscribe === 'function' && (resolve === undefined || typeof resolve === 'function');
}

/** Returns a sentence for each resolver without a field, and each field that lacks its resolver. */
export function faultsOf(
  own: GraphQLSchema,
  { extended, added }: Definitions,
  resolvers: Resolvers,
): string[] {
  const faults: string[] = [];
  const events = extended.getSubscriptionType()?.name;
  for (const [typeName, fields] of Object.entries(resolvers)) {
    const type = extended.getType(typeName);
    const ours = own.getType(typeName);
    if (!type)
      faults.push(`The resolvers of HOOKS_MODULE include ${typeName}, which its typeDefs do not define.`);
    if (!isObjectType(type)) {
      if (ours) faults.push(`The resolvers of HOOKS_MODULE override ${typeName}, a type of the service.`);
      continue;
    }
    for (const [name, value] of Object.entries(fields)) {
      const full = `${typeName}.${name}`;
      if (isObjectType(ours) && ours.getFields()[name]) {
        faults.push(
          `The resolvers of HOOKS_MODULE override ${full}, a field of the service. Choose another name.`,
        );
      } else if (!type.getFields()[name]) {
        faults.push(
          `The resolvers of HOOKS_MODULE include ${full}, a field that its typeDefs do not define.`,
        );
      } else if (typeName !== events && typeof value !== 'function') {
        faults.push(`The resolver ${full} of HOOKS_MODULE must be a function.`);
      }
    }
  }
  for (const { type, isOnOurs, field } of added) {
    const full = `${type}.${field.name}`;
    const value = resolvers[type]?.[field.name];
    if (type === events && !isSubscriptionResolver(value)) {
      faults.push(`HOOKS_MODULE has no resolver for ${full}. Export an object with a subscribe function.`);
    } else if (isOnOurs && value === undefined) {
      faults.push(`HOOKS_MODULE has no resolver for ${full}. Export a function for it.`);
    }
  }
  return faults;
}

/** Returns the parent as modules see it: the plain fields of an object of the service, not the object itself. */
function parentsOf(type: GraphQLObjectType): (source: unknown) => unknown {
  const plain = Object.values(type.getFields()).filter(
    ({ args, resolve, type: of }) => args.length === 0 && !resolve && isLeafType(getNamedType(of)),
  );
  const names = plain.map(({ name }) => name);
  return (source) => {
    const object = source as Record<string, unknown>;
    // Members of a page may be functions (schema.ts).
    return Object.fromEntries(
      names.map((name) => [name, object[name]]).filter(([, value]) => typeof value !== 'function'),
    );
  };
}

/**
 * Returns the resolvers as the schema calls them. Every field of the module has one: the library's own would call a
 * function in place of a property with the service's context.
 */
export function wrapped(
  own: GraphQLSchema,
  { added, extended }: Definitions,
  rules: ReadonlyMap<string, FieldRules>,
  resolvers: Resolvers,
  call: Call,
  contextOf: ContextOf,
): Record<string, Record<string, unknown>> {
  const made: Record<string, Record<string, unknown>> = {};
  for (const [name, members] of Object.entries(resolvers)) {
    const type = extended.getType(name);
    if (isEnumType(type) || isScalarType(type)) made[name] = members;
    if (isUnionType(type) || isInterfaceType(type)) {
      const { __resolveType: typeOf } = members as { __resolveType?: (value: unknown) => unknown };
      if (typeOf) made[name] = { __resolveType: (value: unknown) => typeOf(value) };
    }
  }
  const parents = new Map<string, (source: unknown) => unknown>();
  const ofField = ({ type, field, isOnOurs, isOnRoot }: AddedField): Wrapped => {
    const { name } = field;
    const full = `${type}.${name}`;
    const value = resolvers[type]?.[name];
    const resolve = (isSubscriptionResolver(value) ? value.resolve : value) as AnyResolver | undefined;
    const allow = isOnRoot ? undefined : rules.get(full)?.allow;
    const ours = isOnOurs && !isOnRoot ? own.getType(type) : undefined;
    if (isObjectType(ours) && !parents.has(type)) parents.set(type, parentsOf(ours));
    const parentOf = parents.get(type) ?? ((source: unknown) => source);
    return (source, args, context) => {
      if (allow && !hasRole(allow, context)) return null;
      if (!resolve) return (source as Record<string, unknown> | null | undefined)?.[name];
      const parent = isOnRoot && !isSubscriptionResolver(value) ? undefined : parentOf(source);
      return call(full, () => resolve(parent, args, contextOf(context)));
    };
  };
  for (const one of added) {
    made[one.type] ??= {};
    made[one.type]![one.field.name] = ofField(one);
  }
  return made;
}
