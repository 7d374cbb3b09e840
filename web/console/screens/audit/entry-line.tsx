import { Link } from '@tanstack/react-router';
import { graphql } from '../../generated/gql.js';
import { t } from '../../texts.js';
import { authorOf, type Entry, nameIn, type Subject, verbOf } from './sentence.js';

/** Entries of the trail, the newest first. */
export const AuditQuery = graphql(`
  query Audit($accountId: ID!, $filter: AuditEntryFilter, $after: String) {
    auditEntries(accountId: $accountId, filter: $filter, first: 50, after: $after) {
      nodes {
        id action before after reason subjectId userId by agent ipAddress createdAt userName
        subject {
          __typename
          ... on ScoreFlag { identity { id displayName game { slug } } }
          ... on IdentityReview { identity { id displayName game { slug } } device { platform } }
          ... on Identity { id displayName game { slug } }
          ... on Device { platform }
          ... on User { displayName }
          ... on Account { name } ... on ApiKey { name } ... on Game { name } ... on Board { name } ... on BoardTemplate { name }
          ... on Reward { title line identity { displayName } }
          ... on JamCode { description } ... on ScoreImport { board { name } }
        }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`);

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

function SubjectName({ entry: { by, subject, subjectId, before, after } }: { entry: Entry }) {
  if (!subject) {
    const name = nameIn(before, after);
    if (name) return <span className="name">{name}</span>;
    return t.audit.records[subjectId.slice(0, 3)] ?? t.audit.deleted;
  }
  const player = playerOf(subject);
  if (player) return <PlayerLink player={player} />;
  if (subject.__typename === 'Device') return t.audit.device(subject.platform);
  if (subject.__typename === 'IdentityReview') return t.audit.device(subject.device?.platform ?? '');
  if (subject.__typename === 'User') return subject.displayName;
  if (subject.__typename === 'Reward') {
    const player = by === 'PLAYER' ? undefined : subject.identity?.displayName;
    return t.audit.reward(subject.title ?? subject.line, player);
  }
  if (subject.__typename === 'JamCode') return subject.description;
  if (subject.__typename === 'ScoreImport') return t.audit.into(subject.board?.name ?? t.audit.records.brd!);
  if ('name' in subject) return <span className="name">{subject.name}</span>;
  return t.audit.records[subjectId.slice(0, 3)] ?? t.audit.deleted;
}

/** One sentence: actor, deed, subject. */
export function EntryLine({ entry }: { entry: Entry }) {
  return (
    <span>
      <b className="strong">{authorOf(entry)}</b> <span className="soft">{verbOf(entry)}</span>{' '}
      <SubjectName entry={entry} />
    </span>
  );
}
