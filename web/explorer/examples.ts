/**
 * A ready operation of the explorer. Its tab shows the name of the document's first operation. The very first example has
 * no variables: GraphiQL does not show those of the tab that it opens with.
 */
export interface Example {
  /** Entry of the Examples menu. */
  title: string;
  /** One document; several operations share its variables, and each uses those that it declares. */
  query: string;
  variables: Record<string, unknown>;
  /** For the tab's header editor; what stands here wins over the credential above the editor. */
  headers?: Record<string, string>;
}

export const examples: Example[] = [
  {
    title: 'Show the caller',
    query: `# Paste an API key into the field above,
# then press play (or Ctrl+Enter).
query WhoAmI {
  me {
    kind
    superAdmin
    account {
      id
      name
    }
    user {
      id
      displayName
    }
  }
}
`,
    variables: {},
  },
  {
    title: 'Create a game and a board',
    query: `# Needs an API key. Put your account's id (WhoAmI returns
# it) into both places below. Play asks which to run:
# 1. CreateGame answers the game's id.
# 2. Put it into "board" below and run CreateBoard.
mutation CreateGame($game: CreateGameInput!) {
  createGame(input: $game) {
    game {
      id
      slug
    }
  }
}

mutation CreateBoard($board: CreateBoardInput!) {
  createBoard(input: $board) {
    board {
      id
      slug
      shortCode
      sortDirection
      keepStrategy
    }
  }
}
`,
    variables: {
      game: {
        accountId: 'acc_00000000-0000-0000-0000-000000000000',
        name: 'Comet Racer',
        slug: 'comet-racer',
      },
      board: {
        accountId: 'acc_00000000-0000-0000-0000-000000000000',
        gameId: 'gam_00000000-0000-0000-0000-000000000000',
        name: 'Best runs',
        slug: 'best-runs',
        sortDirection: 'DESC',
        keepStrategy: 'BEST',
      },
    },
  },
  {
    title: 'The top of a board',
    query: `# Reads the board that the tab before created.
# The next tabs ask for its id.
query TopOfBoard($gameSlug: String!, $slug: String!, $first: Int!) {
  board(gameSlug: $gameSlug, slug: $slug) {
    id
    name
    entryCount
    scores(first: $first) {
      edges {
        rank
        node {
          id
          playerName
          value
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
}
`,
    variables: { gameSlug: 'comet-racer', slug: 'best-runs', first: 10 },
  },
  {
    title: 'Watch a board live',
    query: `# Put the board's id below, press play and leave it
# running: the new top arrives after every change.
subscription WatchBoard($boardId: ID!, $first: Int!) {
  boardChanged(boardId: $boardId, first: $first) {
    id
    version
    entryCount
    scores {
      edges {
        rank
        node {
          playerName
          value
        }
      }
    }
  }
}
`,
    variables: { boardId: 'brd_00000000-0000-0000-0000-000000000000', first: 10 },
  },
  {
    title: 'Play as a game client',
    query: `# Put the ids of game and board below; run in turn:
# 1. StartSession. Then choose "Device token" above
#    and paste the accessToken there.
# 2. IssueNonce: allows one submission, for a
#    minute. Put it below.
# 3. SubmitScore: answers the entry and its rank.
# Many at once: IssueNonces, put them below, then
# SubmitScores: answers each in its place.
mutation StartSession($session: StartDeviceSessionInput!) {
  startDeviceSession(input: $session) {
    session {
      accessToken
      expiresIn
      identityId
      displayName
    }
  }
}

query IssueNonce {
  nonce {
    nonceValue
    expiresAt
  }
}

mutation SubmitScore($score: SubmitScoreInput!) {
  submitScore(input: $score) {
    kept
    previousRank
    score {
      id
      rank
      value
      playerName
    }
  }
}

query IssueNonces {
  nonce(count: 2) {
    nonces {
      nonceValue
    }
  }
}

mutation SubmitScores($scores: SubmitScoresInput!) {
  submitScores(input: $scores) {
    results {
      status
      score {
        rank
        value
      }
      error {
        code
        message
      }
    }
  }
}
`,
    variables: {
      session: {
        gameId: 'gam_00000000-0000-0000-0000-000000000000',
        clientFingerprint: 'explorer-1',
        platform: 'web',
      },
      score: {
        boardId: 'brd_00000000-0000-0000-0000-000000000000',
        nonce: 'from IssueNonce',
        playerName: 'Ada',
        value: 1234.5,
      },
      scores: {
        items: [
          {
            boardId: 'brd_00000000-0000-0000-0000-000000000000',
            nonce: 'first of IssueNonces',
            playerName: 'Ada',
            value: 1300,
          },
          {
            boardId: 'brd_00000000-0000-0000-0000-000000000000',
            nonce: 'second of IssueNonces',
            playerName: 'Ada',
            value: 1250,
          },
        ],
      },
    },
  },
];
