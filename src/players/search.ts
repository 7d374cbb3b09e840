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
  @Field(() => String, { description: 'The start of the name, 1 to 64 characters, case-insensitive.' })
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
export function beginningsOf(name: string): string[] {
  const typed = name.trim();
  const forms = [typed, ...['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => typed.normalize(form).trim())];
  const spellings = [...new Set(forms)].filter(Boolean).flatMap((text) => {
    const first = String.fromCodePoint(text.codePointAt(0)!);
    return [text, text.toLowerCase(), first.toUpperCase() + text.slice(first.length).toLowerCase()];
  });
  return [...new Set(spellings.map((text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())))];
}

/** One range of the index of names for each spelling (migrations/019_public_pages.sql). */
const PLAYERS_BY_NAME = `
  select i.*
  from (select distinct p.beginning from unnest(?::text[]) p(beginning)) p
  cross join lateral (
    select x.* from identities x
    where x.game_id = ?::uuid and x.deleted_at is null
      and lower(x.display_name) >= p.beginning and lower(x.display_name) < p.beginning || chr(1114111)
    order by lower(x.display_name), x.id limit ?::int) i
  order by lower(i.display_name), i.id`;

/** Players of a game whose present names begin with a text, in the order of the alphabet. */
export async function findIdentities(
  context: Context,
  gameId: string,
  { name, first }: FindByNameArgs,
): Promise<Identity[]> {
  const values = [beginningsOf(name), uuidOf(gameId), first];
  const { rows } = await runStatement(context.db, PLAYERS_BY_NAME, values);
  const players = new Map(rows.map((row) => fromRow(Identity, row)).map((player) => [player.id, player]));
  return [...players.values()].slice(0, first);
}
