import { Link } from '@tanstack/react-router';
import { graphql } from '../../generated/gql.js';
import type { AuditQuery as Answer } from '../../generated/graphql.js';
import { t } from '../../texts.js';

/** Entries of the trail, the newest first. */
export const AuditQuery = graphql(`
  query Audit($accountId: ID!, $action: AuditAction, $gameId: ID, $userId: ID, $subjectId: ID, $after: String) {
    auditEntries(accountId: $accountId, filter: {action: $action, gameId: $gameId, userId: $userId, subjectId: $subjectId}, first: 50, after: $after) {
      nodes {
        id action before after reason subjectId userId createdAt user { displayName }
        subject {
          __typename
          ... on ScoreFlag { identity { id displayName game { slug } } }
          ... on IdentityReview { identity { id displayName game { slug } } device { platform } }
          ... on Identity { id displayName game { slug } }
          ... on Device { platform }
          ... on User { displayName }
          ... on Account { name } ... on ApiKey { name } ... on Game { name } ... on Board { name } ... on BoardTemplate { name }
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

export type TrailEntry = Answer['auditEntries']['nodes'][number];
/** An entry as far as its sentence needs it. */
export type Entry = Omit<TrailEntry, 'reason' | 'createdAt'>;
type Subject = NonNullable<Entry['subject']>;

/** The deed of an entry: `confirmed a cheat of`. */
export function verbOf({ action, after }: Entry): string {
  const { verbs } = t.audit;
  const status = typeof after?.status === 'string' ? after.status : undefined;
  if (action === 'FLAG_REVIEWED') return verbs[status as 'pending'] ?? verbs.pending;
  if (action === 'DEVICE_STATUS_CHANGED') return verbs[status as 'banned'] ?? String(status);
  if (action === 'TRUST_TIER_CHANGED') {
    const tier = after?.trustTier;
    return typeof tier === 'string' ? verbs.tier(tier.toUpperCase()) : verbs.noTier;
  }
  return verbs[action];
}

interface Named {
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

/** The name of a player as a link to the player's page. */
export function PlayerLink({ player }: { player: Named }) {
  if (!player.game) return <span className="name">{player.displayName}</span>;
  return (
    <Link className="name" to="/games/$slug/players/$id" params={{ slug: player.game.slug, id: player.id }}>
      {player.displayName}
    </Link>
  );
}

function SubjectName({ entry: { subject, subjectId } }: { entry: Entry }) {
  if (!subject) return t.audit.records[subjectId.slice(0, 3)] ?? t.audit.deleted;
  const player = playerOf(subject);
  if (player) return <PlayerLink player={player} />;
  if (subject.__typename === 'Device') return t.audit.device(subject.platform);
  if (subject.__typename === 'IdentityReview') return t.audit.device(subject.device?.platform ?? '');
  if (subject.__typename === 'User') return subject.displayName;
  if ('name' in subject) return <span className="name">{subject.name}</span>;
  return t.audit.deleted;
}

/** One sentence: actor, deed, subject. */
export function EntryLine({ entry }: { entry: Entry }) {
  const who = entry.user?.displayName ?? (entry.userId ? t.audit.someone : t.audit.service);
  return (
    <span>
      <b className="strong">{who}</b> <span className="soft">{verbOf(entry)}</span>{' '}
      <SubjectName entry={entry} />
    </span>
  );
}
