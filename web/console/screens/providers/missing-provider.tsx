import { Link, useParams } from '@tanstack/react-router';
import { useRead } from '../../api/hooks.js';
import { graphql } from '../../generated/gql.js';
import { t } from '../../texts.js';

const HasProviderQuery = graphql(`
  query HasProvider($slug: String!) {
    game(by: { slug: $slug }) { id playerProviders(first: 1) { nodes { id } } }
  }
`);

/** Warns that nobody can sign in yet; nothing where the game has a provider, or this user may not see them. */
export function MissingProvider() {
  const { slug = '' } = useParams({ strict: false });
  const { data } = useRead(HasProviderQuery, { slug }, { pause: slug === '' });
  if (data?.game.playerProviders?.nodes.length !== 0) return null;
  return (
    <p className="note warn" role="status">
      {t.proof.noProvider}
      <Link className="button" to="/games/$slug/providers" params={{ slug }}>
        {t.proof.addProvider}
      </Link>
    </p>
  );
}
