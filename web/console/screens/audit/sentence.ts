import type { AuditAction, AuditQuery } from '../../generated/graphql.js';
import { t } from '../../texts.js';

export type TrailEntry = AuditQuery['auditEntries']['nodes'][number];
/** An entry as far as its sentence needs it. */
export type Entry = Omit<TrailEntry, 'reason' | 'createdAt' | 'ipAddress'>;
export type Subject = NonNullable<Entry['subject']>;

/** The name of a field of a record, for people. */
export function fieldName(name: string): string {
  const spaced = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return t.audit.fields[name] ?? spaced;
}

/** Who did it. */
export function authorOf({ by, agent, userName, userId, subject }: Entry): string {
  if (by === 'JOB') return t.audit.job(agent ?? '');
  if (by === 'PLAYER') {
    return (subject?.__typename === 'Reward' && subject.identity?.displayName) || t.audit.records.ide!;
  }
  if (by === 'OPERATOR') return t.audit.operator;
  return userName ?? (userId ? t.audit.someone : t.audit.service);
}

/** The deed of an entry: `confirmed cheating by`, `turned fair play off for`. */
export function verbOf(entry: Entry): string {
  const { verbs } = t.audit;
  const { action, after } = entry;
  const status = typeof after?.status === 'string' ? after.status : undefined;
  if (action === 'FLAG_REVIEWED') return verbs[status as 'pending'] ?? verbs.pending;
  if (action === 'DEVICE_STATUS_CHANGED') return verbs[status as 'banned'] ?? String(status);
  if (action === 'TRUST_TIER_CHANGED') {
    const tier = after?.trustTier;
    return typeof tier === 'string' ? verbs.tier(tier.toUpperCase()) : verbs.noTier;
  }
  if (action === 'RECORD_CREATED' && status === 'invited') return verbs.invited;
  if (action === 'RECORD_CHANGED') return changeOf(entry);
  if (action === 'DATA_EXPORTED') return verbs.exported(String(after?.what));
  const kind =
    OF_RECORDS.has(action) && isNamed(entry) ? t.audit.kinds[entry.subjectId.slice(0, 3)] : undefined;
  return kind ? `${verbs[action]} the ${kind}` : verbs[action];
}

const OF_RECORDS = new Set<AuditAction>(['RECORD_CREATED', 'RECORD_DELETED', 'RECORD_RESTORED']);

/** True if the name of its subject follows, not a word for its kind. */
function isNamed({ subject, before, after }: Entry): boolean {
  return !!subject || nameIn(before, after) !== undefined;
}

/** The name of a record that is deleted, as its entry has it. */
export function nameIn(before: Entry['before'], after: Entry['after']): string | undefined {
  const name = after?.name ?? before?.name ?? after?.displayName ?? before?.displayName;
  return typeof name === 'string' ? name : undefined;
}

/** Fields that a sentence names together; more are only counted. */
const NAMED = 3;

function changeOf({ subjectId, after }: Entry): string {
  const names = Object.keys(after ?? {});
  const [name] = names;
  if (names.length === 1) {
    const value = String(after![name!]);
    const known =
      t.audit.changes[`${subjectId.slice(0, 3)} ${name} ${value}`] ?? t.audit.changes[`${name} ${value}`];
    if (known) return known;
  }
  if (names.length > NAMED) return t.audit.changedSome(names.length);
  return t.audit.changed(names.map(fieldName));
}
