import {
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  type ResponsePath,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { rememberedOf } from './json-parts.js';

/** Of all together. */
const MOST_BYTES = 16_000_000;

/** One object as one place of an operation selects it; it has been asked for at least once. */
type Part = object;

/** The JSON of parts. That of objects which are gone is evicted in time: it is no longer read. */
export type JsonCache = LRUCache<Part, Buffer>;

export function jsonCache(maxSize = MOST_BYTES): JsonCache {
  return new LRUCache({ maxSize, sizeCalculation: (json) => json.length });
}

/** What is remembered of one operation: for each of its parts (remembered-parts.ts), by what tells them. */
export class OperationParts {
  readonly #byPath: Map<string, WeakMap<object, Part>>;

  constructor(
    paths: Iterable<string>,
    readonly cache: JsonCache,
  ) {
    this.#byPath = new Map([...paths].map((path) => [path, new WeakMap()]));
  }

  at(path: string): WeakMap<object, Part> | undefined {
    return this.#byPath.get(path);
  }
}

/** A place of a result: a part, or what lies between it and the root. */
interface Place {
  /** What was known when the resolver answered. */
  json?: Buffer | undefined;
  part?: Part;
  below?: Map<string | number, Place>;
}

/** Text and bytes, one after the other. */
class Pieces {
  readonly #pieces: Buffer[] = [];
  #text = '';

  add(text: string): void {
    this.#text += text;
  }

  addBytes(bytes: Buffer): void {
    this.#pieces.push(Buffer.from(this.#text), bytes);
    this.#text = '';
  }

  joined(): Buffer {
    return Buffer.concat([...this.#pieces, Buffer.from(this.#text)]);
  }
}

/** Its names; places within lists are all the same. */
function nameOf(path: ResponsePath): string {
  const name = path.prev ? nameOf(path.prev) : '';
  if (typeof path.key === 'number') return name;
  return name === '' ? path.key : `${name}.${path.key}`;
}

/**
 * One run of a compiled operation. As long as nothing has changed, those who see the same page get the same array of scores
 * (scores/window-pages.ts): the JSON that was made of that array for this operation is the answer. Completing and printing fifty scores
 * costs more than everything else that a request needs.
 *
 * Resolvers find it as their `rootValue`, after all checks: what is remembered is found by what they answer.
 */
export class PartsRun {
  readonly #data: Place = {};
  #remembered = 0;

  constructor(private readonly parts: OperationParts) {}

  /**
   * What a resolver found, on its way to be completed.
   * @param told the member that tells what the object is
   */
  pass(path: ResponsePath, object: object, told: object, empty: object): object {
    const parts = this.parts.at(nameOf(path));
    if (!parts) return object;
    const part = parts.get(told);
    if (!part) {
      parts.set(told, {});
      return object;
    }
    const place = this.#placeAt(path);
    place.part = part;
    place.json = this.parts.cache.get(part);
    this.#remembered += place.json?.length ?? 0;
    return place.json === undefined ? object : empty;
  }

  /** Bytes of the result that were known when it was made. */
  get remembered(): number {
    return this.#remembered;
  }

  /** The whole result as JSON, byte for byte what JSON.stringify would make of it, and a line break. */
  print(result: object): Buffer {
    const pieces = new Pieces();
    this.#print(result, { below: new Map([['data', this.#data]]) }, pieces);
    pieces.add('\n');
    return pieces.joined();
  }

  #print(value: unknown, place: Place | undefined, pieces: Pieces): void {
    if (place?.part) {
      pieces.addBytes(this.#printed(value, place.part, place.json));
      return;
    }
    if (!place?.below || typeof value !== 'object' || value === null) {
      pieces.add(JSON.stringify(value));
      return;
    }
    const isList = Array.isArray(value);
    let sign = isList ? '[' : '{';
    for (const [key, member] of Object.entries(value)) {
      if (member === undefined) continue;
      pieces.add(isList ? sign : `${sign}${JSON.stringify(key)}:`);
      this.#print(member, place.below.get(isList ? Number(key) : key), pieces);
      sign = ',';
    }
    pieces.add(isList ? ']' : '}');
  }

  #printed(value: unknown, part: Part, known = this.parts.cache.get(part)): Buffer {
    if (known) return known;
    const json = Buffer.from(JSON.stringify(value));
    this.parts.cache.set(part, json);
    return json;
  }

  #placeAt(path: ResponsePath | undefined): Place {
    if (!path) return this.#data;
    const above = this.#placeAt(path.prev);
    above.below ??= new Map();
    let place = above.below.get(path.key);
    if (!place) {
      place = {};
      above.below.set(path.key, place);
    }
    return place;
  }
}

type Resolve = GraphQLFieldResolver<unknown, unknown>;

function passing(resolve: Resolve, by: string, empty: object): Resolve {
  return (source, args, context, info) => {
    const found = resolve(source, args, context, info);
    const run: unknown = info.rootValue;
    if (!(run instanceof PartsRun)) return found;
    return Promise.resolve(found as Promise<Record<string, object> | null>).then(
      (object) => object && run.pass(info.path, object, object[by]!, empty),
    );
  };
}

/** Fields that answer objects whose JSON may be remembered tell them to the {@link PartsRun}. */
export function passParts(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const remembered = rememberedOf(getNamedType(field.type));
      if (remembered && field.resolve)
        field.resolve = passing(field.resolve, remembered.by, remembered.empty);
    }
  }
}
