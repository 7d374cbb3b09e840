import type { Cast } from './callers.js';
import type { Cell } from './cells.js';
import type { Row } from './rows.js';
import type { Studio, TextClass } from './studio-shape.js';

/** Which texts and ids of each studio a caller may meet. */
export type Sight = Map<Studio, TextClass[]>;

const SEEN_BY_ALL: TextClass[] = ['public', 'account'];
const SEEN_BY_STUDIO: TextClass[] = ['private', 'inside', 'public', 'account', 'own', 'sibling'];
const SEEN_BY_CLIENT: TextClass[] = ['inside', 'public', 'account', 'own'];

/**
 * @param name of the actor
 * @param row whose request may show visitors what is published
 */
export function sightOf(cast: Cast, { actor: { name }, target, expected }: Cell, row: Row): Sight {
  const { published } = row.policy;
  // The audit trail names deleted records by their ids.
  const own: TextClass[] = /audit.?entr/i.test(row.door) ? [...SEEN_BY_STUDIO, 'gone'] : SEEN_BY_STUDIO;
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
    // A deletion and a restoration answer with the record.
    if (target === 'buried' && expected === 'ok') sight.set(buried, SEEN_BY_STUDIO);
  }
  if (name === 'admin') sight.set(aurora, own);
  if (target === 'deleted' && expected === 'ok') sight.set(aurora, [...SEEN_BY_STUDIO, 'gone']);
  if (name === 'rival') sight.set(borealis, own);
  if (name === 'player') sight.set(aurora, SEEN_BY_CLIENT);
  // Published boards of the account's other games among them.
  if (name === 'sibling') sight.set(aurora, [...SEEN_BY_ALL, 'sibling']);
  if (name === 'stranger') sight.set(borealis, SEEN_BY_CLIENT);
  return sight;
}

const CURSOR = /"(eyJ[A-Za-z0-9_-]+)"/g;

/** An answer with what its cursors say. */
function readable(answer: string): string {
  const cursors = [...answer.matchAll(CURSOR)].map(([, text]) => Buffer.from(text!, 'base64url').toString());
  return [answer, ...cursors].join('\n').toLowerCase();
}

const ID = /[a-z]{3}_[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const IS_ID = new RegExp(`^${ID.source}$`);

/** A text or an id that not everybody may read. */
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

const PLACE = /"(?:city|country|timezone)":\s*"(?:london|gb|europe\/london)"/;

/**
 * The parts of an answer that are not for its caller: texts and ids of the studios, and places.
 * @param places true if the caller may see where requests came from
 */
export function leaksOf(sight: Sight, answer: string, places: boolean): string[] {
  const text = readable(answer);
  const place = places ? null : PLACE.exec(text);
  // Found in one go: there are hundreds to look for in every answer.
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
