export const FLAGS_OF_GAME = `query FlagsOfGame($gameId: ID!) { scoreFlags(filter: {gameId: $gameId}, first: 1) { nodes { id } } }`;

export const SET_FAIR_PLAY = `mutation SetFairPlay($gameId: ID!, $settings: JSONObject!) {
  updateGame(id: $gameId, input: { antiCheatEnabled: true, antiCheatSettings: $settings }) { game { id } }
}`;

export const SUBMIT_EVENT = `mutation SubmitEvent($input: CreateScoreEventInput!) {
  createScoreEvent(input: $input) { scoreEvent { id } }
}`;

export const RAISE_FLAG = `mutation RaiseFlag($input: CreateScoreFlagInput!) {
  createScoreFlag(input: $input) { scoreFlag { id } }
}`;

export const FLAGS_OF = `query FlagsOf($identityId: ID!) {
  scoreFlags(filter: {identityId: $identityId}, first: 100) { nodes { id } }
}`;

export const REVIEW_FLAG = `mutation ReviewFlag($id: ID!, $input: ReviewScoreFlagInput!) {
  reviewScoreFlag(id: $id, input: $input) { scoreFlag { id } }
}`;

export const REVIEW_ALL = `mutation ReviewAll($input: ReviewIdentityInput!) {
  reviewIdentity(input: $input) { review { id } }
}`;

export const LIST_IMPORTS = `query ListImports($boardId: ID!) { board(id: $boardId) { scoreImports(first: 1) { nodes { id } } } }`;

export const BEGIN_IMPORT = `mutation BeginImport($boardId: ID!) {
  createScoreImport(boardId: $boardId) { scoreImport { id } }
}`;

export const ADD_CHUNK = `mutation AddChunk($id: ID!, $input: AddScoreImportChunkInput!) {
  addScoreImportChunk(id: $id, input: $input) { bad { line reason } }
}`;

export const FINISH_IMPORT = `mutation FinishImport($id: ID!) { finishScoreImport(id: $id) { scoreImport { id } } }`;

export const IMPORT_STATUS = `query ImportStatus($id: ID!) { scoreImport(id: $id) { status } }`;
