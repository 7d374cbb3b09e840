import type { Knex } from 'knex';
import { inLiveAccount } from '../../accounts/read.js';
import { notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { recordColumns, type Sortable } from '../../db/sort.js';
import { type PageArgs, readRecords, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { recordsById } from '../../graphql/loader.js';
import { JamCode, JamCodeRedemption } from './jam-code.js';

const jamCodeById = recordsById(JamCode, (db: Knex) => JamCode.query(db));

// Uses by deleted accounts are not listed, but stay counted.
const liveRedemptions = (db: Knex) =>
  JamCodeRedemption.query(db).whereRaw(inLiveAccount('jam_code_redemptions'));
const redemptionById = recordsById(JamCodeRedemption, liveRedemptions);

/** @throws DomainError NOT_FOUND */
export async function loadJamCode({ loaders }: Context, id: string): Promise<JamCode> {
  const jam = await loaders.of(jamCodeById).load(id);
  if (!jam) throw notFound('Jam code');
  return jam;
}

/** @throws DomainError NOT_FOUND */
export async function loadRedemption({ loaders }: Context, id: string): Promise<JamCodeRedemption> {
  const redemption = await loaders.of(redemptionById).load(id);
  if (!redemption) throw notFound('Redemption');
  return redemption;
}

export const jamSort = recordColumns('jam_codes', 'jamCode', {
  code: { column: 'jam_codes.code', kind: 'text' },
  active: { column: 'jam_codes.active', kind: 'boolean' },
  current_uses: { column: 'jam_codes.current_uses', kind: 'integer' },
});

/** All jam codes. */
export function listJamCodes({ db }: Context, page: SortedRequest) {
  const list = { type: JamCode, sortable: jamSort, rows: JamCode.query(db), filters: {} };
  return readRecords(db, list, page);
}

const redemptionSort: Sortable = {
  id: { column: 'jam_code_redemptions.id', kind: 'id', idKind: 'redemption' },
  redeemed_at: { column: 'jam_code_redemptions.redeemed_at', kind: 'time' },
};

/** The uses of a jam code, newest first. @param id of the jam code, prefixed */
export function listRedemptions({ db }: Context, page: PageArgs, id: string) {
  const rows = liveRedemptions(db).where('jam_code_id', uuidOf(id));
  const list = { type: JamCodeRedemption, sortable: redemptionSort, rows, filters: { jam_code_id: id } };
  return readRecords(db, list, { ...page, sort: 'redeemed_at:desc' });
}
