import { prefixes } from '../../base/ids.js';

/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = Record<string, unknown>;

/** Id prefixes of `…_id` members whose name differs from the record's kind. */
const PREFIX_OF: Record<string, string> = {
  key: prefixes.apiKey,
  event: prefixes.scoreEvent,
  compared_event: prefixes.scoreEvent,
  selected_event: prefixes.scoreEvent,
  around_score: prefixes.score,
  default_board: prefixes.board,
  numerator_board: prefixes.board,
  denominator_board: prefixes.board,
  template: prefixes.boardTemplate,
  created_from_template: prefixes.boardTemplate,
  rehearsal_of: prefixes.board,
  linked_identity: prefixes.identity,
  session: prefixes.deviceSession,
  // The id of a started session is its device's.
  client_session: prefixes.device,
  banned_device: prefixes.device,
  state: prefixes.boardState,
  board_change: prefixes.board,
  flag: prefixes.scoreFlag,
  meta: prefixes.submissionRecord,
  reviewer: prefixes.user,
  review: prefixes.identityReview,
  import: prefixes.scoreImport,
  merge: prefixes.playerMerge,
  source: prefixes.identity,
  target: prefixes.identity,
  merged_into: prefixes.identity,
  merged_player: prefixes.identity,
  endpoint: prefixes.webhookEndpoint,
  provider: prefixes.identityProvider,
  delivery: prefixes.webhookDelivery,
  selected: prefixes.score,
  ...Object.fromEntries(
    Object.entries(prefixes).map(([kind, prefix]) => [
      kind.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      prefix,
    ]),
  ),
};

/** Members with the id of a user, a key or a session whose names do not show it. */
const BY: Record<string, string> = {
  pass_id: prefixes.verificationPass,
  ...{ created_by: prefixes.user, requested_by: prefixes.user, undone_by: prefixes.user },
  ...{
    revoked_by: prefixes.user,
    started_by: prefixes.user,
    acknowledged_by: prefixes.apiKey,
    claimed_by: prefixes.deviceSession,
  },
};

const UUID_PATTERN = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** An id of any kind. */
export const ANY_ID = `^[a-z]{3}_${UUID_PATTERN}$`;

function snake(record: string): string {
  return record.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/**
 * Returns the prefix of a member's ids; undefined: the member has no ids, or ids of several kinds.
 * @param record the GraphQL type that the member belongs to, e.g. `Board`
 * @param name in REST's spelling
 */
export function idPrefix(record: string, name: string): string | undefined {
  if (name === 'id') return PREFIX_OF[snake(record)];
  if (Object.hasOwn(BY, name)) return BY[name];
  return /_ids?$/.test(name) ? PREFIX_OF[name.replace(/_ids?$/, '')] : undefined;
}

/** Returns a member's schema with the kind of its ids; other members unchanged. */
export function withKind(record: string, name: string, schema: JsonSchema): JsonSchema {
  const prefix = idPrefix(record, name);
  if (!prefix) return schema;
  const pattern = `^${prefix}_${UUID_PATTERN}$`;
  if (!([schema.type].flat() as unknown[]).includes('array')) return { ...schema, pattern };
  return { ...schema, items: { ...(schema.items as JsonSchema), pattern } };
}

/** For ids that `me` may replace: the identity of a client's own session. */
export function orMe(schema: JsonSchema): JsonSchema {
  return { ...schema, pattern: `^(me|${String(schema.pattern).slice(1, -1)})$` };
}
