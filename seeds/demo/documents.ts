export const FLAGS_OF_GAME = `query FlagsOfGame($gameId: ID!) { scoreFlags(filter: {gameId: $gameId}, first: 1) { nodes { id } } }`;

export const SET_FAIR_PLAY = `mutation SetFairPlay($gameId: ID!, $settings: AntiCheatSettingsInput!) {
  updateGame(input: { id: $gameId, antiCheatEnabled: true, antiCheatSettings: $settings }) { game { id } }
}`;

export const SET_HOLD = `mutation SetHold($id: ID!, $holdTop: Int!) {
  updateBoard(input: { id: $id, holdTop: $holdTop }) { board { id } }
}`;

export const SUBMIT_EVENT = `mutation SubmitEvent($input: CreateScoreEventInput!) {
  createScoreEvent(input: $input) { submission { scoreEvent { id } } }
}`;

export const RAISE_FLAG = `mutation RaiseFlag($input: CreateScoreFlagInput!) {
  createScoreFlag(input: $input) { scoreFlag { id } }
}`;

export const FLAGS_OF = `query FlagsOf($identityId: ID!) {
  scoreFlags(filter: {identityId: $identityId}, first: 100) { nodes { id } }
}`;

export const REVIEW_FLAG = `mutation ReviewFlag($input: ReviewScoreFlagInput!) {
  reviewScoreFlag(input: $input) { scoreFlag { id } }
}`;

export const REVIEW_ALL = `mutation ReviewAll($input: ReviewIdentityInput!) {
  reviewIdentity(input: $input) { identityReview { id } }
}`;

export const LIST_IMPORTS = `query ListImports($boardId: ID!) { board(by: {id: $boardId}) { scoreImports(first: 1) { nodes { id } } } }`;

export const BEGIN_IMPORT = `mutation BeginImport($boardId: ID!) {
  createScoreImport(input: { boardId: $boardId }) { scoreImport { id } }
}`;

export const ADD_CHUNK = `mutation AddChunk($input: AddScoreImportChunkInput!) {
  addScoreImportChunk(input: $input) { bad { line reason } }
}`;

export const FINISH_IMPORT = `mutation FinishImport($id: ID!) { finishScoreImport(input: { id: $id }) { scoreImport { id } } }`;

export const IMPORT_STATUS = `query ImportStatus($id: ID!) { scoreImport(id: $id) { status } }`;
