import {
  type GraphQLFieldResolver,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  type ResponsePath,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { rememberedOf } from './json-parts.js';

/** Total JSON size of all parts. */
const CACHE_BYTES = 16_000_000;

/** One object at one place of an operation's selection; created at its first request. */
type CachedPart = object;

/** The JSON of parts. Parts of discarded objects are no longer read and are evicted in time. */
type JsonCache = LRUCache<CachedPart, Buffer>;

export function jsonCache(maxSize = CACHE_BYTES): JsonCache {
  return new LRUCache({ maxSize, sizeCalculation: (json) => json.length });
}

/**
 * The cached parts of one operation: for each path (json-parts.ts), the part by the object that determines its content.
 */
export class OperationParts {
  readonly #byPath: Map<string, WeakMap<object, CachedPart>>;

  constructor(
    paths: Iterable<string>,
    readonly cache: JsonCache,
  ) {
    this.#byPath = new Map([...paths].map((path) => [path, new WeakMap()]));
  }

  at(path: string): WeakMap<object, CachedPart> | undefined {
    return this.#byPath.get(path);
  }
}

/** A place in a result: a part, or a value on the path from the root to one. */
interface PartPlace {
  /** The JSON that was cached when the resolver returned. */
  json?: Buffer | undefined;
  part?: CachedPart;
  below?: Map<string | number, PartPlace>;
}

/** Concatenates text and bytes. */
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

/** Returns the path's field names joined by points; all places within a list share one name. */
function nameOf(path: ResponsePath): string {
  const name = path.prev ? nameOf(path.prev) : '';
  if (typeof path.key === 'number') return name;
  return name === '' ? path.key : `${name}.${path.key}`;
}

/**
 * One run of a compiled operation. As long as nothing changes, all readers of a page get the same array of scores
 * (scores/window-pages.ts), and the JSON serialized from that array for this operation is reused. Completing and
 * serializing fifty scores costs more than the rest of the request.
 *
 * Resolvers get it as `rootValue`, after all checks; their return values are the keys of the cached JSON.
 */
export class PartsRun {
  readonly #data: PartPlace = {};
  #remembered = 0;

  constructor(private readonly parts: OperationParts) {}

  /**
   * Passes a resolver's object on to completion, or `empty` where its JSON is cached.
   * @param shared the member whose identity determines the object's content
   */
  pass(path: ResponsePath, object: object, shared: object, empty: object): object {
    const parts = this.parts.at(nameOf(path));
    if (!parts) return object;
    const part = parts.get(shared);
    if (!part) {
      parts.set(shared, {});
      return object;
    }
    const place = this.#placeAt(path);
    place.part = part;
    place.json = this.parts.cache.get(part);
    this.#remembered += place.json?.length ?? 0;
    return place.json === undefined ? object : empty;
  }

  /** Bytes of the result that came from the cache. */
  get remembered(): number {
    return this.#remembered;
  }

  /** Returns the whole result as JSON with a line break, byte for byte as JSON.stringify would print it. */
  print(result: object): Buffer {
    const pieces = new Pieces();
    this.#print(result, { below: new Map([['data', this.#data]]) }, pieces);
    pieces.add('\n');
    return pieces.joined();
  }

  #print(value: unknown, place: PartPlace | undefined, pieces: Pieces): void {
    if (place?.part) {
      pieces.addBytes(this.#printed(() => value, place.part, place.json));
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

  /**
   * Returns the JSON of a response body that this part alone determines.
   * @param keys path of the part below `data`
   * @param make returns the body; not called where its JSON is cached
   * @returns undefined if the part is not to be cached
   */
  jsonOf(keys: readonly string[], make: () => unknown): Buffer | undefined {
    let place: PartPlace | undefined = this.#data;
    for (const key of keys) place = place?.below?.get(key);
    return place?.part && this.#printed(make, place.part, place.json);
  }

  #printed(make: () => unknown, part: CachedPart, known = this.parts.cache.get(part)): Buffer {
    if (known) return known;
    const json = Buffer.from(JSON.stringify(make()));
    this.parts.cache.set(part, json);
    return json;
  }

  #placeAt(path: ResponsePath | undefined): PartPlace {
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
    const result = resolve(source, args, context, info);
    const run: unknown = info.rootValue;
    if (!(run instanceof PartsRun)) return result;
    return Promise.resolve(result as Promise<Record<string, object> | null>).then(
      (object) => object && run.pass(info.path, object, object[by]!, empty),
    );
  };
}

/** Makes the resolvers of all objects with cacheable JSON pass their results to the {@link PartsRun}. */
export function passParts(schema: GraphQLSchema): void {
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const remembered = rememberedOf(getNamedType(field.type));
      if (remembered && field.resolve)
        field.resolve = passing(field.resolve, remembered.by, remembered.empty);
    }
  }
}
