import { ArgsType, Field, Int } from 'type-graphql';
import { uuidOf } from '../base/ids.js';
import { runStatement } from '../db/pool.js';
import { fromRow } from '../db/row.js';
import type { Context } from '../graphql/context.js';
import { IsName, IsWithin } from '../graphql/rules.js';
import { Identity } from './identities/identity.js';

const MOST_FOUND = 50;

@ArgsType()
export class FindByNameArgs {
  @IsName(1, 64)
  @Field(() => String, {
    description:
      'The start of any word of the name, or of any part in scripts without blanks, 1 to 64 characters. Case and accents do not matter.',
  })
  name!: string;

  @IsWithin(1, MOST_FOUND)
  @Field(() => Int, { defaultValue: 20, description: `Maximum number of results, 1 to ${MOST_FOUND}.` })
  first!: number;
}

/**
 * Names are stored as they were typed, and keyboards spell an accented letter as one character or as two: a name is found in either
 * form, and typed in full width or as a ligature in the plain one. Whatever the locale, the database changes case of ASCII letters only:
 * other names are found in their usual spellings.
 */
function beginningsOf(name: string): string[] {
  const typed = name.trim();
  const forms = [typed, ...['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => typed.normalize(form).trim())];
  const spellings = [...new Set(forms)].filter(Boolean).flatMap((text) => {
    const first = String.fromCodePoint(text.codePointAt(0)!);
    return [text, text.toLowerCase(), first.toUpperCase() + text.slice(first.length).toLowerCase()];
  });
  return [...new Set(spellings.map((text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())))];
}

/**
 * Values of `find_players` (migrations/functions/9_names.sql) after the game: what was typed, and the spellings in which names are
 * looked for until those from before are indexed.
 */
export const findingOf = (name: string): [typed: string, beginnings: string[]] => [name, beginningsOf(name)];

const PLAYERS_BY_NAME = `
  select i.* from find_players(?::uuid, ?::text, ?::text[], ?::int) with ordinality f(id, place)
  join identities i on i.id = f.id order by f.place`;

/** Players of a game with a word, several in turn, or a part that begins with a text, in the order of the alphabet. */
export async function findIdentities(
  { db }: Pick<Context, 'db'>,
  gameId: string,
  { name, first }: FindByNameArgs,
): Promise<Identity[]> {
  const { rows } = await runStatement(db, PLAYERS_BY_NAME, [uuidOf(gameId), ...findingOf(name), first]);
  return rows.map((row) => fromRow(Identity, row));
}
