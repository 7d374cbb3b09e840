import path from 'node:path';
import { startApp, type TestApp } from '../app.js';
import { OpenApiContract } from '../contract.js';
import { send } from '../http.js';
import { WriteJournal } from '../journal.js';
import { Wire } from '../wire.js';
import { type Cast, makeCast, WHOLE, type Whole } from './callers.js';
import { Asker, type Cell, cellsOf, changesWhatIsThere, type Result } from './cells.js';
import { GRAPH_ROWS } from './graph-rows.js';
import { HOME_ROWS } from './home-rows.js';
import { setBack } from './removals.js';
import { REST_ROWS } from './rest-rows.js';
import type { Row } from './rows.js';
import { refusedFields, Sightings } from './sightings.js';
import type { Studio, TextClass } from './studio-shape.js';
import { refusedTo, UNSEEN } from './unseen-table.js';

/** Which texts and ids of each studio a caller may see. */
type Sight = Map<Studio, TextClass[]>;

const SEEN_BY_ALL: TextClass[] = ['public', 'account'];
const SEEN_BY_STUDIO: TextClass[] = ['private', 'inside', 'public', 'account', 'own', 'sibling'];
const SEEN_BY_CLIENT: TextClass[] = ['inside', 'public', 'account', 'own'];

/**
 * @param name of the actor
 * @param row whose request may show visitors what is published
 */
function sightOf(cast: Cast, { actor: { name }, target, expected }: Cell, row: Row): Sight {
  const { published } = row.policy;
  // The audit trail names deleted records by their ids, and so does what is stored about a person.
  const own: TextClass[] = /audit.?entr|identity_id}.export/i.test(row.door)
    ? [...SEEN_BY_STUDIO, 'gone']
    : SEEN_BY_STUDIO;
  const { aurora, borealis, suspended, buried } = cast;
  const none: TextClass[] = published ? SEEN_BY_ALL : [];
  const sight: Sight = new Map([
    [aurora, none],
    [borealis, none],
    [suspended, []],
    [buried, []],
  ]);
  if (name === 'superadmin') {
    for (const studio of [aurora, borealis, suspended]) sight.set(studio, own);
    // A deletion and a restoration return the record.
    if (target === 'buried' && expected === 'ok') sight.set(buried, SEEN_BY_STUDIO);
  }
  if (name === 'admin') sight.set(aurora, own);
  if (target === 'deleted' && expected === 'ok') sight.set(aurora, [...SEEN_BY_STUDIO, 'gone']);
  if (name === 'rival') sight.set(borealis, own);
  if (name === 'player') sight.set(aurora, SEEN_BY_CLIENT);
  // Including published boards of the account's other games.
  if (name === 'sibling') sight.set(aurora, [...SEEN_BY_ALL, 'sibling']);
  if (name === 'stranger') sight.set(borealis, SEEN_BY_CLIENT);
  return sight;
}

const CURSOR = /"(eyJ[A-Za-z0-9_-]+)"/g;

/** A response with decoded cursors. */
function readable(answer: string): string {
  const cursors = [...answer.matchAll(CURSOR)].map(([, text]) => Buffer.from(text!, 'base64url').toString());
  return [answer, ...cursors].join('\n').toLowerCase();
}

const ID = /[a-z]{3}_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const IS_ID = new RegExp(`^${ID.source}$`);

/** A text or an id that not everyone may read. */
interface Secret {
  of: Studio;
  kind: TextClass;
  needle: string;
}

interface Secrets {
  ids: Map<string, Secret[]>;
  texts: Secret[];
}

const known = new WeakMap<Studio, Secrets>();

function secretsOf(of: Studio): Secrets {
  const found = known.get(of);
  if (found) return found;
  const secrets = (Object.entries(of.ids) as [TextClass, string[]][]).flatMap(([kind, ids]) =>
    [`${of.word}-${kind}`, ...ids].map((needle) => ({ of, kind, needle: needle.toLowerCase() })),
  );
  const made: Secrets = { ids: new Map(), texts: [] };
  for (const secret of secrets) {
    const { needle } = secret;
    if (IS_ID.test(needle)) made.ids.set(needle, [...(made.ids.get(needle) ?? []), secret]);
    else made.texts.push(secret);
  }
  known.set(of, made);
  return made;
}

const PLACE = /"(?:city|country|time_?zone)":\s*"(?:london|gb|europe\/london)"/;

/**
 * The parts of a response that its caller must not see: texts and ids of the studios, and locations.
 * @param places true if the caller may see where requests came from
 */
function leaksOf(sight: Sight, answer: string, places: boolean): string[] {
  const text = readable(answer);
  const place = places ? null : PLACE.exec(text);
  // Found in one go, because there are hundreds to look for in every response.
  const shown = [...new Set(text.match(ID))];
  const leaks = [...sight].flatMap(([studio, allowed]) => {
    const { ids, texts } = secretsOf(studio);
    return [
      ...shown.flatMap((id) => ids.get(id) ?? []),
      ...texts.filter(({ needle }) => text.includes(needle)),
    ]
      .filter(({ kind }) => !allowed.includes(kind))
      .map(({ of, kind, needle }) => `${kind} of ${of.word}: ${needle}`);
  });
  return place ? [...leaks, `a place: ${place[0]}`] : leaks;
}

export const ROWS = [...REST_ROWS, ...GRAPH_ROWS, ...HOME_ROWS];
/** The first row of each endpoint. */
export const FIRST_OF_DOOR = new Set(new Map(ROWS.toReversed().map((row) => [row.door, row])).values());
const AT_ONCE = 6;
const ADMINISTRATORS = ['admin', 'rival', 'superadmin'];
const GEOIP = path.resolve(__dirname, '../../fixtures/place/GeoIP2-City-Test.mmdb');

export function nameOf({ door, label }: Row): string {
  return [door, label].filter(Boolean).join(', ');
}

/** The requests of a row; callers with an invalid credential only for the first row of each endpoint. */
export function requestsOf(row: Row, cast: Cast): Cell[] {
  return cellsOf(row, cast, row.whole || FIRST_OF_DOOR.has(row));
}

/** Every caller at every endpoint, for everyone's records. */
export class Matrix {
  /** The fields of records that each caller saw and did not see. */
  readonly sightings = new Map(WHOLE.map((name) => [name, new Sightings()]));
  /** Requests so far. */
  requested = 0;

  private constructor(
    readonly app: TestApp,
    readonly cast: Cast,
    readonly asking: Asker,
    readonly journal: WriteJournal,
    private readonly wire: Wire,
    private readonly cellsAt: typeof requestsOf,
  ) {}

  /**
   * @param cellsAt the requests of a row
   * @param deepest how many steps from record to record operations take
   */
  static async open(cellsAt = requestsOf, deepest?: number): Promise<Matrix> {
    const app = await startApp({ geoipDatabase: GEOIP, trustedProxies: ['127.0.0.1'] });
    const cast = await makeCast(app);
    const { body } = await send(`${app.url}/openapi.json`);
    const wire = new Wire(app.url);
    const asking = new Asker(app, wire, new OpenApiContract(body), cast, deepest);
    return new Matrix(app, cast, asking, await WriteJournal.open(app.database.knex), wire, cellsAt);
  }

  async close(): Promise<void> {
    this.wire.close();
    await this.app.close();
  }

  /** Refused callers first, then all others. @returns the faults */
  async play(row: Row): Promise<string[]> {
    if (!row.chief) return this.#play(row);
    await this.#setBack(row, true);
    const faults = await this.#play(row);
    await this.#setBack(row, false);
    return faults;
  }

  async #setBack({ policy }: Row, chief: boolean): Promise<void> {
    for (const target of policy.cells.keys()) await setBack(this.app, this.cast, target, chief);
  }

  async #play(row: Row): Promise<string[]> {
    const cells = this.cellsAt(row, this.cast);
    const refused = cells.filter(({ expected }) => expected !== 'ok');
    const faults: string[] = [];
    await this.journal.news();
    for (let at = 0; at < refused.length; at += AT_ONCE) {
      const some = refused.slice(at, at + AT_ONCE);
      faults.push(...(await Promise.all(some.map((cell) => this.#faultsOf(row, cell)))).flat());
    }
    const written = await this.journal.news();
    if (written.length > 0 && !row.refresh) faults.push(`refused requests wrote: ${written.join(', ')}`);
    const shown: [Cell, Result][] = [];
    for (const cell of cells.filter(({ expected }) => expected === 'ok')) {
      faults.push(...(await this.#faultsOf(row, cell, (result) => shown.push([cell, result]))));
      if (changesWhatIsThere(row)) await setBack(this.app, this.cast, cell.target, row.chief);
    }
    return isReading(row) ? [...faults, ...this.#compare(shown)] : faults;
  }

  /**
   * The result of a field for a caller who selects everything except other refused fields; undefined: nothing leads
   * to it.
   */
  async faredAlone(name: Whole, field: string): Promise<string | undefined> {
    const others = refusedTo(name).filter((other) => other !== field);
    // A submission leads to its event, which nothing that clients read does.
    for (const row of ROWS.filter((row) => isReading(row) || row.door === 'Mutation.submitScore')) {
      const cell = cellsOf(row, this.cast, false).find(
        ({ actor, expected }) => actor.name === name && expected === 'ok',
      );
      const fared = cell && this.#refusedIn(row, await this.asking.ask(row, cell, others)).get(field);
      if (fared) return fared;
    }
    return undefined;
  }

  async #faultsOf(row: Row, cell: Cell, keep?: (result: Result) => void): Promise<string[]> {
    const { actor, target, expected } = cell;
    this.requested += 1;
    const result = await this.asking.ask(row, cell);
    keep?.(result);
    const { outcome, text } = result;
    const who = `${actor.name}, ${target}:`;
    const sight = sightOf(this.cast, cell, row);
    const leaks = leaksOf(sight, text, ADMINISTRATORS.includes(actor.name));
    const faults = leaks.map((leak) => `${who} sees ${leak}`);
    // Administrators see what the operator of the service does in their account, but not the operator's identity.
    if (actor.name !== 'superadmin' && text.includes(this.cast.operator)) {
      faults.push(`${who} sees ${this.cast.operator}`);
    }
    if (outcome !== expected) faults.push(`${who} ${outcome} instead of ${expected} ${text.slice(0, 300)}`);
    for (const [field, code] of this.#refusedIn(row, result)) {
      faults.push(`${who} ${field} is refused with ${code}: to add to test/support/roles/unseen-table.ts`);
    }
    return faults;
  }

  #refusedIn({ door, args, type }: Row, { errors }: Result): Map<string, string> {
    return args ? refusedFields(this.app.app.schema, door, type, errors) : new Map();
  }

  /**
   * Records what each caller sees, compared with the caller with most rights, who asks last.
   * @returns fields that must be hidden but are visible
   */
  #compare(shown: [Cell, Result][]): string[] {
    return shown.flatMap(([{ actor, target }, { data }]) => {
      const [, most] = shown.findLast(([cell]) => cell.target === target)!;
      const sightings = this.sightings.get(actor.name as Whole);
      if (!sightings) return [];
      const unseen = UNSEEN[actor.name as Whole];
      return sightings
        .compare(data, most.data)
        .filter((field) => unseen[field] === 'hidden')
        .map((field) => `${actor.name}, ${target}: sees ${field}`);
    });
  }
}

function isReading({ door, args }: Row): boolean {
  return args !== undefined && !door.startsWith('Mutation');
}
