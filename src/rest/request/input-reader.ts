import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';
import { type ClassType, getMetadataStorage } from 'type-graphql';
import { type ErrorDetail, invalid } from '../../base/errors.js';
import { coercedValue } from '../../graphql/engine/value-faults.js';
import { faultsOfInput } from '../../graphql/input-checks.js';
import { isObject, memberName, restView } from '../spelling.js';
import { bodyFields } from './inputs.js';
import { RequestReader } from './request.js';

interface Known {
  type: GraphQLInputObjectType;
  reader: RequestReader;
}

/** Reads inputs of the schema from JSON in REST's spelling outside of requests, by the rules of bodies; unknown members are refused. */
export class InputReader {
  #view: GraphQLSchema | undefined;
  readonly #known = new Map<string, Known>();
  #classes: Map<string, ClassType> | undefined;

  /** @param whole returns the service's schema, once it is built */
  constructor(private readonly whole: () => GraphQLSchema) {}

  /**
   * An input as resolvers get it.
   * @param name of the input's type, e.g. `CreateBoardInput`
   * @throws DomainError VALIDATION_FAILED with all its faults; `loc` begins with "body"
   */
  read<T extends object>(name: string, values: Record<string, unknown>): T {
    const { type, reader } = this.#of(name);
    const { variables, faults } = reader.read({ path: {}, query: {}, body: values });
    const details = reader.faultsOf(variables, faults);
    if (details.length > 0) throw invalid(details);
    const input = this.#instance(coercedValue(variables.input, type), type) as T;
    const broken = faultsOfInput(input);
    if (broken.length > 0) throw invalid(this.placed(name, broken));
    return input;
  }

  /** Faults of the service's rules with the places that the caller wrote. */
  placed(name: string, details: ErrorDetail[]): ErrorDetail[] {
    const { reader } = this.#of(name);
    return details.map((detail) => ({ ...detail, loc: reader.locOf(detail.loc) }));
  }

  /** A value of an input's field in REST's spelling. @param field in the schema's spelling */
  shown(name: string, field: string, value: unknown): unknown {
    return shown(value, this.#of(name).type.getFields()[field]?.type);
  }

  #of(name: string): Known {
    const known = this.#known.get(name) ?? this.#make(name);
    this.#known.set(name, known);
    return known;
  }

  #make(name: string): Known {
    this.#view ??= restView(this.whole());
    const type = this.#view.getType(name) as GraphQLInputObjectType;
    const inputs = bodyFields(type);
    const spoken = new Map(inputs.map((input) => [input.field!, input]));
    return { type, reader: new RequestReader({ inputs, paged: false, spoken }, { exact: true }) };
  }

  /** With the classes of its inputs, which have the rules. */
  #instance(value: unknown, type: GraphQLInputType): unknown {
    const bare = getNullableType(type);
    if (isListType(bare) && Array.isArray(value))
      return value.map((item) => this.#instance(item, bare.ofType));
    if (!isInputObjectType(bare) || !isObject(value)) return value;
    this.#classes ??= new Map(
      getMetadataStorage().inputTypes.map(({ name, target }) => [name, target as ClassType]),
    );
    const fields = bare.getFields();
    const members = Object.entries(value).map(([name, member]) => [
      name,
      this.#instance(member, fields[name]!.type),
    ]);
    return Object.assign(Object.create(this.#classes.get(bare.name)!.prototype), Object.fromEntries(members));
  }
}

const saysSomething = (value: unknown) => value != null && !(Array.isArray(value) && value.length === 0);

/** Members of inputs that say nothing are left out; free JSON stays as it is. */
function shown(value: unknown, type: GraphQLInputType | undefined): unknown {
  if (value instanceof Date) return value.toISOString();
  const bare = type && getNullableType(type);
  if (isListType(bare) && Array.isArray(value)) return value.map((item) => shown(item, bare.ofType));
  if (!isInputObjectType(bare) || !isObject(value)) return value ?? null;
  const given = Object.values(bare.getFields()).filter(({ name }) => saysSomething(value[name]));
  return Object.fromEntries(given.map((field) => [memberName(field), shown(value[field.name], field.type)]));
}
