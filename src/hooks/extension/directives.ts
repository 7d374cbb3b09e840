import {
  type DirectiveNode,
  type DocumentNode,
  type GraphQLDirective,
  getDirectiveValues,
  Kind,
  visit,
} from 'graphql';
import type { Role } from '../../graphql/access.js';
import { LIMITS } from '../../graphql/engine/cost.js';
import type { Definitions } from './definitions.js';

/** By the names of schema/directives.graphql. */
const ROLES: Readonly<Record<string, Role>> = {
  ADMIN: 'admin',
  SUPERADMIN: 'superadmin',
  CLIENT: 'client',
  ANYONE: 'anyone',
};

const LIST = Object.keys(ROLES).join(', ');

/** The `extensions` of a field, as `@Allow` and `complexity` set them on a field of the service. */
export interface FieldRules {
  allow?: Role[];
  complexity?: number;
}

type Directives = readonly DirectiveNode[] | undefined;

/** @returns undefined: the value is not of the declared type */
function valuesOf(definition: GraphQLDirective, directives: Directives): Record<string, unknown> | undefined {
  try {
    return getDirectiveValues(definition, { directives: directives ?? [] });
  } catch {
    return undefined;
  }
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
  const allow = extended.getDirective('allow')!;
  const cost = extended.getDirective('cost')!;
  const fields = [...added, ...declared.map((one) => ({ ...one, isOnRoot: false, isOnOurs: false }))];
  for (const { type, isOnRoot, field } of fields) {
    const name = `${type}.${field.name}`;
    const directives = field.astNode?.directives;
    const found: FieldRules = {};
    rules.set(name, found);
    if (has(directives, 'allow')) {
      const roles = valuesOf(allow, directives)?.roles as string[] | undefined;
      if (roles && roles.length > 0) found.allow = roles.map((role) => ROLES[role]!);
      else problems.push(`The typeDefs of HOOKS_MODULE give ${name} no known role: the roles are ${LIST}.`);
    } else if (isOnRoot) {
      problems.push(
        `The typeDefs of HOOKS_MODULE do not say who may use ${name}: add @allow(roles: [...]) with some of ${LIST}.`,
      );
    }
    if (!has(directives, 'cost')) continue;
    const weight = valuesOf(cost, directives)?.weight as number | undefined;
    if (weight !== undefined && weight >= 0 && weight <= LIMITS.cost) found.complexity = weight;
    else {
      problems.push(
        `The typeDefs of HOOKS_MODULE give ${name} a weight that is no whole number from 0 to ${LIMITS.cost}, the limit of an operation: correct its @cost.`,
      );
    }
  }
  for (const { type, field } of declared) {
    if (!has(field.astNode?.directives, 'allow')) continue;
    problems.push(
      `The typeDefs of HOOKS_MODULE restrict ${type}.${field.name}, a field of an interface: put @allow on the fields of the object types that have it.`,
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
