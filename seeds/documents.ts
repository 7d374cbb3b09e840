export const FIND_ACCOUNT = `query FindAccount($slug: String!) {
  accounts(filter: {slug: $slug}) { nodes { id users(first: 100) { nodes { id email } } apiKeys(first: 100) { nodes { name } } } }
}`;

export const CREATE_ACCOUNT = `mutation CreateAccount($input: CreateAccountInput!) {
  createAccount(input: $input) { account { id } }
}`;

export const CREATE_USER = `mutation CreateUser($input: CreateUserInput!) {
  createUser(input: $input) { user { id } }
}`;

export const CREATE_KEY = `mutation CreateApiKey($input: CreateApiKeyInput!) {
  createApiKey(input: $input) { key }
}`;

export const FIND_GAME = `query FindGame($slug: String!) { game(by: { slug: $slug }) { id logoUrl defaultBoardId } }`;

export const CREATE_GAME = `mutation CreateGame($input: CreateGameInput!) {
  createGame(input: $input) { game { id logoUrl defaultBoardId } }
}`;

export const SHOW_FIRST = `mutation ShowFirst($id: ID!, $board: ID!) {
  updateGame(input: { id: $id, defaultBoardId: $board }) { game { id } }
}`;

export const FIND_BOARD = `query FindBoard($gameSlug: String!, $slug: String!) {
  board(by: { slug: { game: $gameSlug, board: $slug } }) { id }
}`;

export const CREATE_BOARD = `mutation CreateBoard($input: CreateBoardInput!) {
  createBoard(input: $input) { board { id } }
}`;

export const SET_VIEWS = `mutation SetViews($id: ID!, $views: [BoardViewInput!]!) {
  updateBoard(input: { id: $id, views: $views }) { board { id } }
}`;

export const LIST_TEMPLATES = `query ListTemplates($gameId: ID!) {
  boardTemplates(filter: {gameId: $gameId}, first: 100) { nodes { name } }
}`;

export const CREATE_TEMPLATE = `mutation CreateTemplate($input: CreateBoardTemplateInput!) {
  createBoardTemplate(input: $input) { boardTemplate { id } }
}`;

export const LIST_PLAYERS = `query ListPlayers($gameId: ID!, $after: String) {
  identities(filter: {gameId: $gameId, kind: DEVICE}, orderBy: {field: CREATED_AT}, first: 100, after: $after) {
    nodes { id externalKey } pageInfo { hasNextPage endCursor }
  }
}`;

export const START_SESSION = `mutation StartSession($input: StartDeviceSessionInput!) {
  startDeviceSession(input: $input) { session { identityId } }
}`;

export const HAS_SCORES = `query HasScores($board: ID!) {
  board(by: { id: $board }) { scores(first: 1) { nodes { id } } }
}`;

export const PLAYED = `query Played($board: ID!, $identity: ID!) {
  board(by: { id: $board }) { scores(filter: {identityId: $identity}, first: 1) { nodes { id } } }
}`;

export const SUBMIT = `mutation Submit($input: CreateScoreEventInput!) {
  createScoreEvent(input: $input) { submission { score { rank } } }
}`;
