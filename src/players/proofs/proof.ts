import { Field, ObjectType } from 'type-graphql';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import type { LoaderSpec } from '../../graphql/loader.js';
import { DateTime } from '../../graphql/scalars.js';
import { PlayerProviderKind } from '../providers/provider.js';

@ObjectType({ description: 'An account at a provider that proves who a player is.', simpleResolvers: true })
export class PlayerProof {
  @Field(() => String, { description: 'The slug of the provider.' })
  provider!: string;

  @Field(() => PlayerProviderKind, { description: 'How the provider proves who a player is.' })
  kind!: PlayerProviderKind;

  @Field(() => String, {
    description: 'The account, as the provider names it: its last four characters, after `…`.',
  })
  subject!: string;

  @Field(() => DateTime, { description: 'When it first proved the player.' })
  provenAt!: Date;

  @Field(() => DateTime, { description: 'When it last did.' })
  lastProvenAt!: Date;
}

const SHOWN = 4;

/** Short ones show less than half. */
export function masked(subject: string): string {
  const letters = [...subject];
  return `…${letters.slice(Math.max(letters.length - SHOWN, Math.ceil(letters.length / 2))).join('')}`;
}

interface ProofRow {
  identity_id: string;
  slug: string;
  kind: PlayerProviderKind;
  subject: string;
  proven_at: Date;
  last_proven_at: Date;
}

const OF_PLAYERS = `
  select o.player as identity_id, v.slug, v.kind, p.subject, p.proven_at, p.last_proven_at
  from unnest(?::uuid[]) o(player)
  cross join lateral (select o.player as id union all select i.id from identities i where i.merged_into = o.player) i
  join player_proofs p on p.identity_id = i.id join player_providers v on v.id = p.provider_id
  order by p.proven_at, v.slug`;

/** The proofs of players and of those who are merged into them, the oldest first, by the player's prefixed id. */
export const proofsOfPlayer: LoaderSpec<PlayerProof[]> = {
  batch: async (ids, db) => {
    const { rows } = await runStatement<ProofRow>(db, OF_PLAYERS, [ids.map(uuidOf)]);
    const found = new Map<string, PlayerProof[]>();
    for (const { identity_id, slug, subject, ...row } of rows) {
      const proof = Object.assign(new PlayerProof(), {
        ...{ provider: slug, kind: row.kind, subject: masked(subject) },
        ...{ provenAt: row.proven_at, lastProvenAt: row.last_proven_at },
      });
      const id = idOf('identity', identity_id);
      found.set(id, [...(found.get(id) ?? []), proof]);
    }
    return found;
  },
};
