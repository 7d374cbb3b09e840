import { graphql, useLazyLoadQuery, usePaginationFragment } from 'react-relay';

function Rows({ entries, isMore, loadMore }) {
  return (
    <>
      <ol>
        {entries.map(({ node }) => (
          <li key={node.identityId} value={node.rank}>
            {node.playerName} {node.value}
          </li>
        ))}
      </ol>
      {isMore && (
        <button type="button" onClick={() => loadMore(2)}>
          More
        </button>
      )}
    </>
  );
}

/** The ranking of a board as its studio and game clients read it: pages hang on the Board, which has an id. */
export function BoardPage({ id }) {
  const { board } = useLazyLoadQuery(
    graphql`
      query boardsBoardQuery($id: ID!) {
        board(by: { id: $id }) {
          name
          ...boardsRanking
        }
      }
    `,
    { id },
  );
  const { data, hasNext, loadNext } = usePaginationFragment(
    graphql`
      fragment boardsRanking on Board
      @refetchable(queryName: "boardsRankingQuery")
      @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" }) {
        ranking {
          entries(first: $count, after: $cursor) @connection(key: "boards_entries") {
            edges { node { rank identityId playerName value } }
          }
        }
      }
    `,
    board,
  );
  return (
    <section>
      <h1>{board.name}</h1>
      <Rows entries={data.ranking.entries.edges} isMore={hasNext} loadMore={loadNext} />
    </section>
  );
}

/** The same for visitors: a PublicBoard has no id of its own, so pages hang on the query. */
export function PublicPage({ id }) {
  const query = useLazyLoadQuery(
    graphql`
      query boardsPublicQuery($id: ID!) {
        publicBoard(by: { id: $id }) { name }
        ...boardsPublicRanking @arguments(id: $id)
      }
    `,
    { id },
  );
  const { data, hasNext, loadNext } = usePaginationFragment(
    graphql`
      fragment boardsPublicRanking on Query
      @refetchable(queryName: "boardsPublicRankingQuery")
      @argumentDefinitions(
        id: { type: "ID!" }
        count: { type: "Int", defaultValue: 2 }
        cursor: { type: "String" }
      ) {
        publicBoard(by: { id: $id }) {
          ranking {
            entries(first: $count, after: $cursor) @connection(key: "boardsPublic_entries") {
              edges { node { rank identityId playerName value } }
            }
          }
        }
      }
    `,
    query,
  );
  return (
    <section>
      <h1>{query.publicBoard.name}</h1>
      <Rows entries={data.publicBoard.ranking.entries.edges} isMore={hasNext} loadMore={loadNext} />
    </section>
  );
}
