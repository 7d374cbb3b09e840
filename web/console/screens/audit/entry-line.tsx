import { Link } from '@tanstack/react-router';
import { graphql } from '../../generated/gql.js';
import { t } from '../../texts.js';
import { authorOf, type Entry, type Named, subjectOf, verbOf } from './sentence.js';

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

/** The name of a player as a link to the player's page. */
export function PlayerLink({ player }: { player: Named }) {
  if (!player.game) return <span className="name">{player.displayName}</span>;
  return (
    <Link className="name" to="/games/$slug/players/$id" params={{ slug: player.game.slug, id: player.id }}>
      {player.displayName}
    </Link>
  );
}

interface EntryLineProps {
  entry: Entry;
  /** Shows what this person did. */
  onAuthor?: ((userId: string) => void) | undefined;
}

/** One sentence: actor, deed, subject. */
export function EntryLine({ entry, onAuthor }: EntryLineProps) {
  const { userId } = entry;
  const author = authorOf(entry);
  const { player, text, isName } = subjectOf(entry);
  return (
    <span>
      {onAuthor && userId ? (
        <button
          type="button"
          className="link strong"
          title={t.audit.byThis(author)}
          onClick={() => onAuthor(userId)}
        >
          {author}
        </button>
      ) : (
        <b className="strong">{author}</b>
      )}{' '}
      <span className="soft">{verbOf(entry)}</span>{' '}
      {player ? <PlayerLink player={player} /> : isName ? <span className="name">{text}</span> : text}
    </span>
  );
}
