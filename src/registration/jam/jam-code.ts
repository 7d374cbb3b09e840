import { Field, ID, ObjectType } from 'type-graphql';
import type { GlobalName } from '../../db/names.js';
import { BareRow } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { kind } from '../../graphql/records/kinds.js';
import {
  type Created,
  changeInput,
  computed,
  createdAt,
  derived,
  fixed,
  idField,
  later,
  made,
  maybe,
  newInput,
  preset,
  RecordType,
  required,
  rowOf,
  type Updated,
  updatedAt,
} from '../../graphql/records/record.js';
import { Matches } from '../../graphql/rules.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';

const code = {
  ...kind.text,
  limits: '3 to 50 letters and digits, in either case.',
  rules: [Matches('code', /^[A-Za-z0-9]{3,50}$/, 'must be 3 to 50 letters and digits')],
  stored: (given: string) => given.toUpperCase(),
};

export const jamCodeFields = {
  id: idField('jamCode'),
  code: fixed(required(code, 'The code, in capitals, unique.')),
  description: required(kind.longText(2_000), 'What it is for.'),
  active: later(preset(kind.flag, true, 'True if it can be used.')),
  expiresAt: maybe(kind.moment, 'When it expires. Null: never.'),
  maxUses: maybe(kind.atLeast(1), 'Maximum number of accounts that can use it. Null: no limit.', {
    whenChanged: 'A number below the current uses prevents further use.',
  }),
  currentUses: made(kind.count, 'Number of accounts that used it.'),
  remainingUses: computed(
    kind.orNull(kind.count),
    'Number of further accounts that can use it. Null: no limit.',
  ),
  lastRedeemedAt: made(kind.orNull(kind.moment), 'When it was last used. Null: never.'),
  features: derived(kind.jsonObject, 'Free-form settings. Each use keeps a copy of them.', {
    whenNew: 'Empty by default.',
  }),
  createdAt,
  updatedAt,
};

@RecordType(jamCodeFields, 'A promotional code that can be given at registration.')
export class JamCode extends rowOf(jamCodeFields) {
  static override tableName = 'jam_codes';
  static override unaudited = ['code', 'currentUses', 'lastRedeemedAt'];

  get remainingUses(): number | null {
    return this.maxUses === null ? null : Math.max(0, this.maxUses - this.currentUses);
  }

  override globalNames(): GlobalName[] {
    return [{ kind: 'jam_code', name: this.code }];
  }
}

export const CreateJamCodeInput = newInput('CreateJamCodeInput', 'A new jam code.', jamCodeFields);
export type CreateJamCodeInput = Created<typeof jamCodeFields>;

export const UpdateJamCodeInput = changeInput(
  'UpdateJamCodeInput',
  'Changes to a jam code. Absent fields stay unchanged. Null clears optional fields.',
  jamCodeFields,
  { deletion: null },
);
export type UpdateJamCodeInput = Updated<typeof jamCodeFields>;

@ObjectType({
  implements: Node,
  description: 'The use of a jam code by an account.',
  simpleResolvers: true,
})
export class JamCodeRedemption extends BareRow {
  static override tableName = 'jam_code_redemptions';
  static override ids = { id: 'redemption', jamCodeId: 'jamCode', accountId: 'account' } as const;

  @Field(() => ID, { description: 'The id, `red_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The code that was used.' })
  jamCodeId!: string;

  @Field(() => ID, { description: 'The account that used it, when it was registered.' })
  accountId!: string;

  @Field(() => JsonObject, { description: 'The `features` of the code at that time.' })
  meta!: Record<string, unknown>;

  @Only('graphql')
  @Field(() => JsonObject, { description: 'The former name of `meta`.', deprecationReason: 'Use `meta`.' })
  get features(): Record<string, unknown> {
    return this.meta;
  }

  @Field(() => DateTime, { description: 'When it was used.' })
  redeemedAt!: Date;
}
