import type { Cast } from './callers.js';
import type { Cell } from './cells.js';
import type { Studio, TextClass } from './studio.js';

/** Which texts and ids of each studio a caller may meet. */
export type Sight = Map<Studio, TextClass[]>;

const SEEN_BY_ALL: TextClass[] = ['public', 'account'];
const SEEN_BY_STUDIO: TextClass[] = ['private', 'inside', 'public', 'account', 'own', 'sibling'];
const SEEN_BY_CLIENT: TextClass[] = ['inside', 'public', 'account', 'own'];

/**
 * @param name of the actor
 * @param published whether the request shows everybody what is published
 */
export function sightOf(cast: Cast, { actor: { name }, target, expected }: Cell, published: boolean): Sight {
  const { aurora, borealis, suspended, buried } = cast;
  const none: TextClass[] = published ? SEEN_BY_ALL : [];
  const sight: Sight = new Map([
    [aurora, none],
    [borealis, none],
    [suspended, []],
    [buried, []],
  ]);
  if (name === 'superadmin') {
    for (const studio of [aurora, borealis, suspended]) sight.set(studio, SEEN_BY_STUDIO);
    // A deletion and a restoration answer with the record.
    if (target === 'buried' && expected === 'ok') sight.set(buried, SEEN_BY_STUDIO);
  }
  if (name === 'admin') sight.set(aurora, SEEN_BY_STUDIO);
  if (target === 'deleted' && expected === 'ok') sight.set(aurora, [...SEEN_BY_STUDIO, 'gone']);
  if (name === 'rival') sight.set(borealis, SEEN_BY_STUDIO);
  if (name === 'player') sight.set(aurora, SEEN_BY_CLIENT);
  if (name === 'sibling') sight.set(aurora, [...none, 'account', 'sibling']);
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

/** What an answer shows that is not for its caller: texts and ids of the studios. */
export function leaksOf(sight: Sight, answer: string): string[] {
  const text = readable(answer);
  // Found in one go: there are hundreds to look for in every answer.
  const told = new Set(text.match(ID));
  const shows = (needle: string) => (IS_ID.test(needle) ? told.has(needle) : text.includes(needle));
  const leaks: string[] = [];
  for (const [{ word, ids }, allowed] of sight) {
    for (const [kind, known] of Object.entries(ids)) {
      if (allowed.includes(kind as TextClass)) continue;
      for (const needle of [`${word}-${kind}`, ...known]) {
        if (shows(needle.toLowerCase())) leaks.push(`${kind} of ${word}: ${needle}`);
      }
    }
  }
  return leaks;
}
