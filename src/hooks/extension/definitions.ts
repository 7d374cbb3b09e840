import {
  concatAST,
  type DirectiveNode,
  type DocumentNode,
  extendSchema,
  type GraphQLDirective,
  type GraphQLEnumType,
  type GraphQLField,
  type GraphQLSchema,
  getDirectiveValues,
  isInterfaceType,
  isIntrospectionType,
  isNonNullType,
  isObjectType,
  isTypeDefinitionNode,
  isTypeExtensionNode,
  Kind,
  parse,
  validateSchema,
  visit,
} from 'graphql';
import { SetupError } from '../../base/errors.js';
import { LIMITS } from '../../graphql/engine/cost.js';
import { ALLOW, AllowedRight, AllowedRole, COST } from '../../graphql/engine/directives.js';
import { type Grant, type Right, type Role } from '../../graphql/rights.js';

/** A field of the module on an object type. */
export interface AddedField {
  type: string;
  /** True if the type is one of the service's. */
  isOnOurs: boolean;
  isOnRoot: boolean;
  field: GraphQLField<unknown, unknown>;
}

/** The module's definitions, checked against the service's schema. */
export interface Definitions {
  document: DocumentNode;
  /** The service's schema with the definitions, for questions about its types; it cannot be executed. */
  extended: GraphQLSchema;
  added: AddedField[];
  /** Fields of the module's interfaces. */
  declared: Omit<AddedField, 'isOnOurs' | 'isOnRoot'>[];
}

/** @throws SetupError with each problem as a sentence of its own */
export function refuseProblems(problems: readonly string[]): void {
  if (problems.length > 0) throw new SetupError(problems.join('\n'));
}

/** @throws SetupError */
function refuseInvalid(faults: readonly { message: string }[]): void {
  refuseProblems(faults.map(({ message }) => `The typeDefs of HOOKS_MODULE are not valid: ${message}`));
}

function attempt<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    // The library joins its errors by an empty line.
    refuseInvalid((error as Error).message.split('\n\n').map((message) => ({ message })));
    throw error;
  }
}

/** Returns a sentence for each definition that would change or replace one of the service's. */
function replacements(own: GraphQLSchema, { definitions }: DocumentNode): string[] {
  return definitions.flatMap((node) => {
    if (isTypeDefinitionNode(node)) {
      const name = node.name.value;
      const remedy =
        node.kind === Kind.OBJECT_TYPE_DEFINITION
          ? `add fields to it with "extend type ${name}", or choose another name`
          : 'choose another name';
      return own.getType(name)
        ? [`The typeDefs of HOOKS_MODULE define ${name}, which is already a type of the service: ${remedy}.`]
        : [];
    }
    if (!isTypeExtensionNode(node)) {
      return node.kind === Kind.DIRECTIVE_DEFINITION
        ? []
        : ['The typeDefs of HOOKS_MODULE may only define and extend types.'];
    }
    const type = own.getType(node.name.value);
    if (!type) return [];
    if (!isObjectType(type) || node.kind !== Kind.OBJECT_TYPE_EXTENSION) {
      return [
        `The typeDefs of HOOKS_MODULE extend ${type.name}, which is not an object type. Only object types can be extended.`,
      ];
    }
    const taken = (node.fields ?? []).filter((field) => type.getFields()[field.name.value]);
    return taken.map(
      (field) =>
        `The typeDefs of HOOKS_MODULE redefine ${type.name}.${field.name.value}, a field of the service. Choose another name.`,
    );
  });
}

/** Reads the module's definitions. @throws SetupError */
export function readDefinitions(own: GraphQLSchema, texts: readonly string[]): Definitions {
  const document = attempt(() => concatAST(texts.map((text) => parse(text))));
  // The library that merges the schemas takes two equal fields for one, so these are found before.
  refuseProblems(replacements(own, document));
  const extended = attempt(() => extendSchema(own, document));
  refuseInvalid(validateSchema(extended));
  const roots = [extended.getQueryType(), extended.getMutationType(), extended.getSubscriptionType()];
  const added: AddedField[] = [];
  const declared: Definitions['declared'] = [];
  for (const type of Object.values(extended.getTypeMap())) {
    const ours = own.getType(type.name);
    if (isIntrospectionType(type) || !(isObjectType(type) || isInterfaceType(type))) continue;
    for (const field of Object.values(type.getFields())) {
      if (isInterfaceType(type)) {
        if (!ours) declared.push({ type: type.name, field });
      } else if (!isObjectType(ours) || !ours.getFields()[field.name]) {
        const isOnRoot = roots.some((root) => root === type);
        added.push({ type: type.name, isOnOurs: ours !== undefined, isOnRoot, field });
      }
    }
  }
  return { document, extended, added, declared };
}

function namesOf(type: GraphQLEnumType): string {
  return type
    .getValues()
    .map(({ name }) => name)
    .join(', ');
}

/** The `extensions` of a field, as `@Allow` and `complexity` set them on a field of the service. */
export interface FieldRules {
  allow?: Grant[];
  complexity?: number;
}

type Directives = readonly DirectiveNode[] | undefined;

/** @returns undefined: the value is not of the declared type */
function argumentValues(
  definition: GraphQLDirective,
  directives: Directives,
): Record<string, unknown> | undefined {
  try {
    return getDirectiveValues(definition, { directives: directives ?? [] });
  } catch {
    return undefined;
  }
}

/** @param right of administrators, where the module names none @returns undefined: no valid roles or rights */
function grantsIn(directives: Directives, right: Right): Grant[] | undefined {
  const given = argumentValues(ALLOW, directives) as { roles: Role[]; rights?: Right[] | null } | undefined;
  if (!given || given.roles.length === 0 || given.rights?.length === 0) return undefined;
  return given.roles.flatMap((role) => (role === 'admin' ? (given.rights ?? [right]) : [role]));
}

function has(directives: Directives, name: string): boolean {
  return (directives ?? []).some((directive) => directive.name.value === name);
}

/** Reads @allow and @cost of all fields: the rules by `Type.field`, and a sentence for each fault. */
export function readRules({ extended, added, declared }: Definitions): {
  rules: Map<string, FieldRules>;
  problems: string[];
} {
  const rules = new Map<string, FieldRules>();
  const problems: string[] = [];
  const fields = [...added, ...declared.map((one) => ({ ...one, isOnRoot: false, isOnOurs: false }))];
  for (const { type, isOnRoot, field } of fields) {
    const name = `${type}.${field.name}`;
    const directives = field.astNode?.directives;
    const found: FieldRules = {};
    rules.set(name, found);
    if (has(directives, 'allow')) {
      const grants = grantsIn(directives, type === extended.getMutationType()?.name ? 'configure' : 'read');
      if (grants) found.allow = grants;
      else {
        problems.push(
          `The typeDefs of HOOKS_MODULE give ${name} an unknown role or right. Valid roles: ` +
            `${namesOf(AllowedRole)}. Valid rights: ${namesOf(AllowedRight)}.`,
        );
      }
      if (!isOnRoot && isNonNullType(field.type)) {
        problems.push(
          `The typeDefs of HOOKS_MODULE use @allow on ${name}, which must be nullable: it is null for other callers.`,
        );
      }
    } else if (isOnRoot) {
      problems.push(
        `The typeDefs of HOOKS_MODULE do not say who may use ${name}. Add @allow(roles: [...]) with one or more ` +
          `of ${namesOf(AllowedRole)}.`,
      );
    }
    if (!has(directives, 'cost')) continue;
    const weight = argumentValues(COST, directives)?.weight as number | undefined;
    if (weight !== undefined && weight >= 0 && weight <= LIMITS.cost) found.complexity = weight;
    else {
      problems.push(
        `The typeDefs of HOOKS_MODULE give ${name} an invalid @cost: it must be an integer from 0 to ` +
          `${LIMITS.cost}, the limit of an operation.`,
      );
    }
  }
  for (const { type, field } of declared) {
    if (!has(field.astNode?.directives, 'allow')) continue;
    problems.push(
      `The typeDefs of HOOKS_MODULE use @allow on ${type}.${field.name}, a field of an interface. Put it on the ` +
        `fields of the object types instead.`,
    );
  }
  return { rules, problems };
}

/** Returns the definitions as clients see them, without @allow and @cost. */
export function withoutRules(document: DocumentNode): DocumentNode {
  return visit(document, {
    [Kind.DIRECTIVE]: ({ name }) => (name.value === 'allow' || name.value === 'cost' ? null : undefined),
  });
}
