import type { AuditAction, AuditQuery } from '../../generated/graphql.js';
import { t } from '../../texts.js';

export type TrailEntry = AuditQuery['auditEntries']['nodes'][number];
/** An entry as far as its sentence needs it. */
export type Entry = Omit<TrailEntry, 'reason' | 'createdAt' | 'ipAddress'>;
type Subject = NonNullable<Entry['subject']>;

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
function nameIn(before: Entry['before'], after: Entry['after']): string | undefined {
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

export interface Named {
  id: string;
  displayName: string;
  game?: { slug: string } | null;
}

function playerOf(subject: Subject): Named | undefined {
  if (subject.__typename === 'Identity') return subject;
  if (subject.__typename === 'ScoreFlag' || subject.__typename === 'IdentityReview') {
    return subject.identity ?? undefined;
  }
  return undefined;
}

/** What an entry is about: a player, a name, or a word for its kind. */
export function subjectOf(entry: Entry): { player?: Named; text: string; isName?: boolean } {
  const { by, subject, subjectId, before, after } = entry;
  const kind = t.audit.records[subjectId.slice(0, 3)] ?? t.audit.deleted;
  if (!subject) {
    const name = nameIn(before, after);
    return name === undefined ? { text: kind } : { text: name, isName: true };
  }
  const player = playerOf(subject);
  if (player) return { player, text: player.displayName };
  switch (subject.__typename) {
    case 'Device':
      return { text: t.audit.device(subject.platform) };
    case 'IdentityReview':
      return { text: t.audit.device(subject.device?.platform ?? '') };
    case 'User':
      return { text: subject.displayName };
    case 'Reward': {
      const of = by === 'PLAYER' ? undefined : subject.identity?.displayName;
      return { text: t.audit.reward(subject.title ?? subject.line, of) };
    }
    case 'JamCode':
      return { text: subject.description };
    case 'ScoreImport':
      return { text: t.audit.into(subject.board?.name ?? t.audit.records.brd!) };
    default:
      return 'name' in subject ? { text: subject.name, isName: true } : { text: kind };
  }
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** A value of a changed field, for people: lists and settings in words, never as JSON. @param moment of a time */
export function valueText(value: unknown, moment: (iso: string) => string): string {
  if (value === null || value === undefined || value === '') return t.audit.nothing;
  if (typeof value === 'boolean') return value ? t.audit.on : t.audit.off;
  if (typeof value === 'string') return TIME.test(value) ? moment(value) : value;
  if (typeof value === 'number') return value.toLocaleString('en');
  if (Array.isArray(value)) {
    return value.length === 0 ? t.audit.nothing : value.map((one) => valueText(one, moment)).join('; ');
  }
  const set = Object.entries(value as object).filter(([, one]) => one !== null && one !== undefined);
  if (set.length === 0) return t.audit.nothing;
  return set.map(([name, one]) => `${settingName(name)}: ${valueText(one, moment)}`).join(', ');
}

/** `reviewTop` and `review_top` in words. */
const settingName = (name: string) =>
  name.replace(/_/g, ' ').replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Entries of one row: of several automatic ones in turn, all. */
export function rowsOf<E extends Pick<Entry, 'by'>>(entries: readonly E[]): E[][] {
  const rows: E[][] = [];
  for (const entry of entries) {
    const last = rows.at(-1);
    if (entry.by === 'JOB' && last?.[0]?.by === 'JOB') last.push(entry);
    else rows.push([entry]);
  }
  return rows;
}
