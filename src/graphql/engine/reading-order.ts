import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isLeafType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import { prefixes } from '../../base/ids.js';

type Field = GraphQLField<unknown, unknown>;

const byNames = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

function membersOf(type: GraphQLNamedType): { name: string; type: GraphQLType }[] {
  return isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
}

/** True for a field that is only read from its object: its place in the class does not depend on the order of loading. */
function isStored({ resolve }: Field): boolean {
  return resolve === undefined || resolve === defaultFieldResolver;
}

/**
 * Orders a schema for its readers: roots, what all lists share, then each kind of record with all that belongs to it: its
 * enums and lists, the parts that it consists of, what its root fields take and return.
 */
export class ReadingOrder {
  readonly #all: GraphQLNamedType[];
  readonly #roots: GraphQLObjectType[];
  readonly #records: GraphQLNamedType[];
  /** The records that root fields are about, each before those whose names begin with its own. */
  readonly #subjects: GraphQLNamedType[];
  /** A list's connection, edge, filter and order, with what the list holds. */
  readonly #lists = new Map<GraphQLNamedType, GraphQLNamedType>();
  /** The subjects of the types that have one, wherever else they are named. */
  readonly #homes = new Map<GraphQLNamedType, GraphQLNamedType>();
  readonly #seen = new Set<GraphQLNamedType>();

  constructor(private readonly schema: GraphQLSchema) {
    this.#all = Object.values(schema.getTypeMap())
      .filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type))
      .toSorted(byNames);
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    this.#roots = roots.filter(isObjectType);
    const byKind = Object.keys(prefixes).map((kind) =>
      schema.getType(kind[0]!.toUpperCase() + kind.slice(1)),
    );
    const nodes = schema.getPossibleTypes(schema.getType('Node') as never).toSorted(byNames);
    this.#records = [...new Set([...byKind.filter(isObjectType), ...nodes])];
    const fields = this.#roots.flatMap((root) => Object.values(root.getFields()));
    const meant = new Set(fields.map((field) => this.#subjectOf(field)));
    const subjects = this.#records.filter((record) => meant.has(record));
    const family = ({ name }: GraphQLNamedType) => subjects.findIndex((one) => name.startsWith(one.name));
    this.#subjects = subjects.toSorted((a, b) => family(a) - family(b));
    this.#findLists();
    this.#findHomes(fields);
  }

  #findLists(): void {
    for (const { type, args } of this.#all.filter(isObjectType).flatMap((one) => this.fields(one))) {
      const connection = getNamedType(type);
      const members = membersOf(connection);
      const nodes = members.find(({ name }) => name === 'nodes');
      if (!nodes || !connection.name.endsWith('Connection')) continue;
      const parts = [...members, ...args].filter(({ name }) => ['edges', 'filter', 'orderBy'].includes(name));
      for (const part of [connection, ...parts.map((one) => getNamedType(one.type))]) {
        this.#lists.set(part, getNamedType(nodes.type));
      }
    }
  }

  #findHomes(rootFields: Field[]): void {
    for (const subject of this.#subjects) {
      for (const type of membersOf(subject).map((member) => getNamedType(member.type))) {
        if (isEnumType(type) && !this.#homes.has(type)) this.#homes.set(type, subject);
      }
    }
    for (const field of rootFields) {
      const [type, subject] = [getNamedType(field.type), this.#subjectOf(field)];
      if (isObjectType(type) && subject) this.#homes.set(type, subject);
    }
    for (const subject of this.#subjects) this.#homes.set(subject, subject);
    for (const [part, held] of this.#lists) {
      const home = this.#homes.get(held);
      if (home) this.#homes.set(part, home);
    }
  }

  types(): GraphQLNamedType[] {
    for (const { args } of this.schema.getDirectives()) {
      for (const { type } of args) this.#see(getNamedType(type));
    }
    for (const type of this.#all) if (isScalarType(type) || isInterfaceType(type)) this.#seen.add(type);
    for (const root of this.#roots) this.#seen.add(root);
    for (const type of this.#all) if (this.#isShared(type)) this.#see(type);
    const fields = this.#roots.flatMap((root) => this.fields(root));
    for (const subject of this.#subjects) {
      this.#seen.add(subject);
      const parts = isObjectType(subject) ? this.fields(subject) : [];
      const enums = parts.map(({ type }) => getNamedType(type)).filter(isEnumType);
      const lists = this.#all.filter((type) => this.#lists.get(type) === subject);
      for (const type of [...enums, ...lists]) this.#see(type, subject);
      const ofSubject = fields.filter((field) => this.#subjectOf(field) === subject);
      for (const field of [...parts, ...ofSubject]) this.#seeField(field, subject);
    }
    for (const field of fields) this.#seeField(field);
    for (const type of this.#all) this.#see(type, this.#homes.get(type));
    return [...this.#seen].filter((type) => this.#all.includes(type));
  }

  /**
   * The fields in their order: of roots by subject; of other types those of the class, then those of resolvers: values,
   * objects, what takes arguments.
   */
  fields(type: GraphQLObjectType): Field[] {
    const fields = Object.values(type.getFields());
    const byName = fields.toSorted(byNames);
    if (this.#roots.includes(type)) {
      const rank = (field: Field) => this.#subjects.indexOf(this.#subjectOf(field)!);
      const placed = byName.filter((field) => rank(field) >= 0).toSorted((a, b) => rank(a) - rank(b));
      return [...placed, ...byName.filter((field) => rank(field) < 0)];
    }
    const rank = ({ type: of, args }: Field) => (args.length > 0 ? 2 : isLeafType(getNamedType(of)) ? 0 : 1);
    const resolved = byName.filter((field) => !isStored(field)).toSorted((a, b) => rank(a) - rank(b));
    return [...fields.filter(isStored), ...resolved];
  }

  /**
   * The record of a root field: the longest whose words are in its name; else the one whose id it takes, or, unless it
   * is a mutation, one that it returns.
   */
  #subjectOf({ name, args, type }: Field): GraphQLNamedType | undefined {
    const text = name.toLowerCase().replace(/ies$/, 'y');
    const named = this.#records.filter((record) =>
      record.name.match(/[A-Z][a-z]*/g)!.every((word) => text.includes(word.toLowerCase())),
    );
    if (named.length > 0) return named.reduce((a, b) => (b.name.length > a.name.length ? b : a));
    const taken = args.flatMap((arg) => [arg, ...membersOf(getNamedType(arg.type))]);
    const byId = this.#records.find((record) =>
      taken.some(({ name: id }) => id.toLowerCase() === `${record.name}Id`.toLowerCase()),
    );
    const result = getNamedType(type);
    if (byId || result.name.endsWith('Payload')) return byId;
    const returned = membersOf(result).map((member) => getNamedType(member.type));
    return this.#records.find((record) => returned.includes(record));
  }

  #seeField({ args, type }: Field, subject?: GraphQLNamedType): void {
    for (const argument of args) this.#see(getNamedType(argument.type), subject);
    this.#see(getNamedType(type), subject);
  }

  /** Adds a type and what it consists of, unless it has its place beside another subject, or in a list. */
  #see(type: GraphQLNamedType, subject?: GraphQLNamedType): void {
    if (this.#seen.has(type) || isSpecifiedScalarType(type)) return;
    const home = this.#homes.get(type);
    if (home ? home !== subject : this.#waits(type)) return;
    this.#seen.add(type);
    if (isUnionType(type)) for (const one of type.getTypes()) this.#see(one, subject);
    else if (isObjectType(type)) for (const field of this.fields(type)) this.#seeField(field, subject);
    else for (const member of membersOf(type)) this.#see(getNamedType(member.type), subject);
  }

  /** True for what a list holds, before its connection. */
  #waits(type: GraphQLNamedType): boolean {
    return [...this.#lists].some(
      ([part, held]) => held === type && part.name.endsWith('Connection') && !this.#seen.has(part),
    );
  }

  /** True for what lists of several kinds consist of. */
  #isShared(type: GraphQLNamedType): boolean {
    if (this.#homes.has(type) || this.#lists.has(type)) return false;
    const users = [...this.#lists].filter(([part]) =>
      membersOf(part).some((member) => getNamedType(member.type) === type),
    );
    return new Set(users.map(([, held]) => held)).size > 1;
  }
}
