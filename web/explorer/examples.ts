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
  /** For the tab's header editor; takes precedence over the credential above the editor. */
  headers?: Record<string, string>;
}

/** Placeholders: the page puts ids of the account of the key in their place. */
const NIL = '00000000-0000-0000-0000-000000000000';
const [ACCOUNT, GAME, BOARD] = [`acc_${NIL}`, `gam_${NIL}`, `brd_${NIL}`];
const [PLAYER, EVENT, FLAG] = [`ide_${NIL}`, `sev_${NIL}`, `flg_${NIL}`];

export const examples: Example[] = [
  {
    title: 'Who am I?',
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
    query: `# Needs an API key: the variables below then hold the ids
# of your account. Play asks which to run:
# 1. CreateGame. Its id is put into "board" below if it is
#    your first game.
# 2. CreateBoard.
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
        accountId: ACCOUNT,
        name: 'Comet Racer',
        slug: 'comet-racer',
      },
      board: {
        accountId: ACCOUNT,
        gameId: GAME,
        name: 'Best runs',
        slug: 'best-runs',
        sortDirection: 'DESC',
        keepStrategy: 'BEST',
      },
    },
  },
  {
    title: 'The top of a board',
    query: `# Reads the newest board of your account: its id is below.
query TopOfBoard($boardId: ID!, $first: Int!) {
  board(by: { id: $boardId }) {
    id
    name
    ranking {
      totalCount
      entries(first: $first) {
        nodes {
          rank
          playerName
          value
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
}
`,
    variables: { boardId: BOARD, first: 10 },
  },
  {
    title: 'A published board, as a visitor',
    query: `# Needs no credential: leave the field above empty.
query PublicTop($boardId: ID!) {
  publicBoard(by: { id: $boardId }) {
    name
    phase
    endsAt
    ranking {
      totalCount
      entries(first: 10) {
        nodes {
          rank
          playerName
          value
        }
      }
    }
  }
}
`,
    variables: { boardId: BOARD },
  },
  {
    title: 'Watch a board live',
    query: `# Press play and leave it running: the new top arrives
# after every change.
subscription WatchBoard($boardId: ID!, $first: Int!) {
  boardChanged(boardId: $boardId, first: $first) {
    version
    entries {
      totalCount
      nodes {
        rank
        playerName
        value
      }
    }
  }
}
`,
    variables: { boardId: BOARD, first: 10 },
  },
  {
    title: 'Play as a game client',
    query: `# Run in turn:
# 1. StartSession. Then choose "Device token" above
#    and paste the accessToken there.
# 2. IssueNonce: allows one submission, for a
#    minute. Put it below.
# 3. SubmitScore: returns the score and its rank.
# Many in one request: run IssueNonces, put the nonces below, then
# SubmitScores: returns a result for each, in the same order.
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

mutation IssueNonce {
  issueNonces(input: {}) {
    nonces {
      value
      expiresAt
    }
  }
}

mutation SubmitScore($score: SubmitScoreInput!) {
  submitScore(input: $score) {
    submission {
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
}

mutation IssueNonces {
  issueNonces(input: { count: 2 }) {
    nonces {
      value
    }
  }
}

mutation SubmitScores($scores: SubmitScoresInput!) {
  submitScores(input: $scores) {
    results {
      ... on Submission {
        kept
        score {
          rank
          value
        }
      }
      ... on RefusedSubmission {
        code
        message
      }
    }
  }
}
`,
    variables: {
      session: {
        gameId: GAME,
        clientFingerprint: 'explorer-1',
        platform: 'web',
      },
      score: {
        boardId: BOARD,
        nonce: 'from IssueNonce',
        playerName: 'Ada',
        value: 1234.5,
      },
      scores: {
        items: [
          {
            boardId: BOARD,
            nonce: 'first of IssueNonces',
            playerName: 'Ada',
            value: 1300,
          },
          {
            boardId: BOARD,
            nonce: 'second of IssueNonces',
            playerName: 'Ada',
            value: 1250,
          },
        ],
      },
    },
  },
  {
    title: 'Submit scores in bulk',
    query: `# A match with many players: each item has a result, in the
# same order. A refused item does not affect the others.
mutation SubmitMatch($match: CreateScoreEventsInput!) {
  createScoreEvents(input: $match) {
    results {
      ... on Submission {
        score {
          rank
          value
          playerName
        }
      }
      ... on RefusedSubmission {
        code
        message
      }
    }
  }
}
`,
    variables: {
      match: {
        items: [
          { boardId: BOARD, identityId: PLAYER, value: 1400, idempotencyKey: 'match-1-player-1' },
          { boardId: BOARD, identityId: PLAYER, value: 1500, idempotencyKey: 'match-1-player-1-again' },
        ],
      },
    },
  },
  {
    title: 'Review a flag',
    query: `# RaiseFlag flags the newest submission. PendingFlags lists
# the flags to review. PreviewReview shows the effect of a
# review; ReviewFlag saves it, and "PENDING" undoes it.
query PendingFlags($gameId: ID!) {
  scoreFlags(filter: {gameId: $gameId, status: PENDING}, first: 10) {
    nodes {
      id
      flagType
      confidence
      explanation
      identity {
        displayName
      }
    }
  }
}

mutation RaiseFlag($flag: CreateScoreFlagInput!) {
  createScoreFlag(input: $flag) {
    scoreFlag {
      id
      status
    }
  }
}

query PreviewReview($flagId: ID!) {
  previewScoreFlagReview(input: { id: $flagId, status: CONFIRMED_CHEAT }) {
    before {
      rank
      value
    }
    after {
      rank
      value
    }
    othersMoved
  }
}

mutation ReviewFlag($review: ReviewScoreFlagInput!) {
  reviewScoreFlag(input: $review) {
    scoreFlag {
      id
      status
      reviewerDecision
      identity {
        displayName
        trustTier
      }
    }
  }
}
`,
    variables: {
      gameId: GAME,
      flag: { scoreEventId: EVENT, confidence: 'MEDIUM' },
      flagId: FLAG,
      review: { id: FLAG, status: 'CONFIRMED_CHEAT', reviewerDecision: 'A speed hack' },
    },
  },
  {
    title: 'Review all runs of a player',
    query: `# ReviewRuns with dryRun changes nothing: it returns how many
# scores would move, and the podium. Set dryRun to false to
# apply it; UndoReview undoes all of it.
mutation ReviewRuns($runs: ReviewIdentityInput!) {
  reviewIdentity(input: $runs) {
    identityReview {
      id
    }
    boards {
      board {
        name
      }
      runs
      moved
      podium {
        rank
        before {
          playerName
          value
        }
        after {
          playerName
          value
        }
      }
    }
  }
}

mutation UndoReview($reviewId: ID!) {
  undoIdentityReview(input: { id: $reviewId }) {
    identityReview {
      id
      status
    }
  }
}
`,
    variables: {
      runs: {
        target: { identityId: PLAYER },
        decision: 'CONFIRMED_CHEAT',
        dryRun: true,
        reason: 'A speed hack',
      },
      reviewId: `rev_${NIL}`,
    },
  },
  {
    title: 'Today, this week, my country',
    query: `# DeclareViews replaces the whole list: missing views are
# dropped. Views of a board with history are built in the
# background.
mutation DeclareViews($boardId: ID!, $views: [BoardViewInput!]!) {
  updateBoard(input: { id: $boardId, views: $views }) {
    board {
      id
      views {
        name
        status
        progress
      }
    }
  }
}

query ThisWeek($boardId: ID!) {
  board(by: { id: $boardId }) {
    ranking(view: "weekly") {
      periodKey
      totalCount
      entries(first: 10) {
        nodes {
          rank
          playerName
          value
        }
      }
    }
    weekly: view(name: "weekly") {
      periods(first: 5) {
        nodes {
          key
          state
          totalCount
          podium {
            rank
            playerName
          }
        }
      }
    }
    country: view(name: "country") {
      groups(first: 20) {
        nodes {
          key
          totalCount
        }
      }
    }
  }
}
`,
    variables: {
      boardId: BOARD,
      views: [
        { name: 'daily', period: 'DAY' },
        { name: 'weekly', period: 'WEEK' },
        { name: 'country', by: ['country'] },
      ],
    },
  },
  {
    title: 'Create boards on a schedule',
    query: `# NextBoards looks ahead and changes nothing. CreateTemplate
# creates a board for every window of its interval.
query NextBoards($preview: PreviewBoardTemplateInput!) {
  previewBoardTemplate(input: $preview) {
    name
    startsAt
    endsAt
  }
}

mutation CreateTemplate($template: CreateBoardTemplateInput!) {
  createBoardTemplate(input: $template) {
    boardTemplate {
      id
      name
      nextRunAt
    }
  }
}

query Templates($gameId: ID!) {
  boardTemplates(filter: {gameId: $gameId}, first: 10) {
    nodes {
      id
      name
      repeatInterval
      nextRunAt
      isActive
      lastError
    }
  }
}
`,
    variables: {
      preview: {
        name: 'Weekly cup',
        nameTemplate: 'Cup, week {week} of {year}',
        repeatInterval: '1 week',
        nextRunAt: '2030-01-07T00:00:00Z',
      },
      template: {
        accountId: ACCOUNT,
        gameId: GAME,
        name: 'Weekly cup',
        nameTemplate: 'Cup, week {week} of {year}',
        repeatInterval: '1 week',
        nextRunAt: '2030-01-07T00:00:00Z',
      },
      gameId: GAME,
    },
  },
  {
    title: 'Operate the service, as a superadmin',
    query: `# Needs a superadmin's key: all accounts, and when each job
# last ran.
query Operate {
  accounts(first: 10, orderBy: { field: NAME }) {
    totalCount {
      value
      isExact
    }
    nodes {
      name
      status
      games(first: 5) {
        nodes {
          name
        }
      }
    }
  }
  jobs {
    name
    lastFinishedAt
    lastError
  }
}
`,
    variables: {},
  },
];

/** How GraphQL names a board. */
export type BoardName = { id: string } | { shortCode: string };

/** Returns the examples, that of a visitor first if there is a board for it, written into the text: it has no variables. */
export function examplesOn(board: BoardName | undefined): Example[] {
  const visitor = examples.find(({ query }) => query.includes('query PublicTop('));
  if (!board || !visitor) return examples;
  const [[key, name]] = Object.entries(board) as [[string, string]];
  const query = visitor.query
    .replace('($boardId: ID!)', '')
    .replace('id: $boardId', `${key}: ${JSON.stringify(name)}`)
    .replace(/^#.*$/m, '# Needs no key: press play (or Ctrl+Enter).');
  const first = { ...visitor, query, variables: {} };
  return [first, ...examples.filter((example) => example !== visitor)];
}
