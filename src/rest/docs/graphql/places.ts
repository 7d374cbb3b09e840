import {
  type GraphQLNamedType,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import { ReadingOrder } from '../../../graphql/engine/reading-order.js';
import type { RestRoute } from '../../routes/rest-route.js';
import { type Group, slugOf } from '../groups.js';
import { type RootField, rootFields, SERVICE, sectionsOf } from './groups.js';

/** The page of types that several groups use alike. */
export const SHARED = 'Shared types';

/** A page of the reference of GraphQL: root fields, and the types that belong to them. */
export interface SchemaPage {
  name: string;
  slug: string;
  description: string;
  fields: RootField[];
  types: GraphQLNamedType[];
}

/** A place that names a type: a root field, or a field of another type. */
interface Use {
  /** What the reader sees, e.g. `Board.views`. */
  text: string;
  /** Anchor on the page of `owner`. */
  anchor: string;
  page: string;
  /** True for a root field. */
  isRoot?: boolean;
}

const SHARED_TEXT = 'Types that fields of several groups use: scalars, parts of lists, errors.';
const SERVICE_TEXT = 'Any record by its id, search over all records, and the state of the service.';

interface Member {
  name: string;
  type: GraphQLType;
  args?: readonly { type: GraphQLType }[];
}

/** Returns the members of a type that name others. */
function membersOf(type: GraphQLNamedType): Member[] {
  const hasFields = isObjectType(type) || isInputObjectType(type) || isInterfaceType(type);
  return hasFields ? Object.values(type.getFields() as Record<string, Member>) : [];
}

/** Returns the types that a member or a root field names, what it returns first. */
function namedBy({ type, args = [] }: Member): GraphQLNamedType[] {
  return [type, ...args.map((argument) => argument.type)].map((one) => getNamedType(one));
}

function isShown(type: GraphQLNamedType): boolean {
  return !isIntrospectionType(type) && !isSpecifiedScalarType(type);
}

/** Where everything of a schema is in its reference. */
export class SchemaPlaces {
  readonly pages: SchemaPage[];
  readonly order: ReadingOrder;
  readonly #homes: Map<GraphQLNamedType, string>;
  readonly #uses = new Map<GraphQLNamedType, Use[]>();

  constructor(
    readonly schema: GraphQLSchema,
    groups: Pick<Group, 'name' | 'description'>[],
    routes: RestRoute[],
  ) {
    const order = new ReadingOrder(schema);
    this.order = order;
    const fields = rootFields(schema, routes);
    const sections = sectionsOf(fields);
    const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
    const types = order.types().filter((type) => isShown(type) && !roots.includes(type as never));
    this.#homes = homesOf(types, fields, sections);
    this.#findUses(types, fields, sections);
    const sectionTypes = types.filter((type) => !this.isPartOfField(type));
    const rank = new Map(
      roots
        .filter(isObjectType)
        .flatMap((root) => order.fields(root))
        .map(({ name }, i) => [name, i]),
    );
    this.pages = groups.map(({ name, description }) => ({
      name,
      slug: slugOf(name),
      description: name === SERVICE ? SERVICE_TEXT : description,
      fields: fields
        .filter(({ field }) => sections.get(field.name) === name)
        .toSorted((a, b) => rank.get(a.field.name)! - rank.get(b.field.name)!),
      types: sectionTypes.filter((type) => this.#homes.get(type) === name),
    }));
    this.pages.push({
      ...{ name: SHARED, slug: slugOf(SHARED), description: SHARED_TEXT, fields: [] },
      types: sectionTypes.filter((type) => this.#homes.get(type) === SHARED),
    });
  }

  #findUses(types: GraphQLNamedType[], fields: RootField[], sections: Map<string, string>): void {
    const add = (type: GraphQLNamedType, use: Use) => {
      const known = this.#uses.get(type) ?? [];
      if (!known.some(({ text }) => text === use.text)) known.push(use);
      this.#uses.set(type, known);
    };
    for (const { field } of fields) {
      const page = slugOf(sections.get(field.name)!);
      const use = { text: field.name, anchor: field.name, page, isRoot: true };
      for (const type of namedBy(field)) add(type, use);
    }
    for (const type of types) {
      const place = { anchor: type.name, page: slugOf(this.#homes.get(type)!) };
      for (const member of membersOf(type)) {
        for (const named of namedBy(member)) add(named, { ...place, text: `${type.name}.${member.name}` });
      }
      if (isUnionType(type)) for (const one of type.getTypes()) add(one, { ...place, text: type.name });
    }
  }

  /** The address of a type below the service's root; undefined: it's one of GraphQL's own scalars. */
  hrefOf(type: GraphQLNamedType): string | undefined {
    const home = this.#homes.get(type);
    return home && `docs/graphql/${slugOf(home)}#${type.name}`;
  }

  /** True for what one root field alone takes or returns: it is described with the field. */
  isPartOfField(type: GraphQLNamedType): boolean {
    const [use, ...others] = this.usesOf(type);
    return (isInputObjectType(type) || isObjectType(type)) && use?.isRoot === true && others.length === 0;
  }

  usesOf(type: GraphQLNamedType): Use[] {
    return this.#uses.get(type) ?? [];
  }
}

/** From this number of groups that are equally near to a type, it is none of theirs. */
const MANY = 3;

/** Of every record and every field, whichever names it. */
const SHARED_BY_ALL = ['ErrorCode', 'Node'];

/** Returns the section of each type: the one from whose root fields it is the fewest steps away. */
function homesOf(
  types: GraphQLNamedType[],
  fields: RootField[],
  sections: Map<string, string>,
): Map<GraphQLNamedType, string> {
  const homes = new Map<GraphQLNamedType, string>();
  let reached = new Map<GraphQLNamedType, Set<string>>();
  const reach = (type: GraphQLNamedType, names: Iterable<string>) => {
    if (homes.has(type) || !isShown(type)) return;
    reached.set(type, new Set([...(reached.get(type) ?? []), ...names]));
  };
  for (const type of types)
    if (isScalarType(type) || SHARED_BY_ALL.includes(type.name)) homes.set(type, SHARED);
  for (const { field } of fields) for (const type of namedBy(field)) reach(type, [sections.get(field.name)!]);
  while (reached.size > 0) {
    const found = [...reached];
    reached = new Map();
    for (const [type, names] of found) homes.set(type, names.size >= MANY ? SHARED : [...names][0]!);
    for (const [type, names] of found) {
      const below = isUnionType(type) ? type.getTypes() : membersOf(type).flatMap(namedBy);
      for (const one of below) reach(one, names);
    }
  }
  for (const type of types) if (!homes.has(type)) homes.set(type, SHARED);
  return homes;
}
