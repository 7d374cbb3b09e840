/* eslint-disable */
import * as types from './graphql.js';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query Board($code: String!) {\n    board(shortCode: $code) {\n      id\n      accountId\n      gameId\n      name\n      slug\n      shortCode\n      description\n      icon\n      unit\n      tags\n      state\n      isActive\n      isPublished\n      publicFields\n      boardType\n      keepStrategy\n      sortDirection\n      startsAt\n      endsAt\n      entryCount\n      templateName\n      createdAt\n      template { id name }\n      previousPeriod { id name shortCode state }\n      nextPeriod { id name shortCode state }\n      ratioConfig {\n        numeratorBoard { name }\n        denominatorBoard { name }\n        minNumerator\n        minDenominator\n        scale\n        decimals\n        display\n        zeroDenominatorPolicy\n      }\n      game { id name slug }\n    }\n  }\n": typeof types.BoardDocument,
    "\n  mutation UpdateBoard($id: ID!, $input: UpdateBoardInput!) {\n    updateBoard(id: $id, input: $input) { board { id name shortCode } }\n  }\n": typeof types.UpdateBoardDocument,
    "\n  mutation Restore($id: ID!) {\n    restore(id: $id) { node { id } }\n  }\n": typeof types.RestoreDocument,
    "\n  query Me {\n    me {\n      superAdmin\n      accountId\n      account { id name }\n      user { id displayName email }\n      apiKey { id name expiresAt }\n    }\n  }\n": typeof types.MeDocument,
    "\n  query Games($accountId: ID!) {\n    games(accountId: $accountId, first: 100, sort: \"name:asc\") {\n      nodes { id name slug }\n    }\n  }\n": typeof types.GamesDocument,
    "\n  query Pending($accountId: ID!) {\n    pendingFlags(accountId: $accountId) { count hasMore }\n  }\n": typeof types.PendingDocument,
    "\n  query Overview($accountId: ID!) {\n    boards(accountId: $accountId, isActive: true, first: 100) {\n      nodes { id state gameId }\n      pageInfo { hasNextPage }\n    }\n    oldest: scoreFlags(accountId: $accountId, status: PENDING, last: 1) { nodes { id createdAt } }\n    auditEntries(accountId: $accountId, first: 100) {\n      nodes { id action before after subjectId userId createdAt user { displayName } }\n    }\n  }\n": typeof types.OverviewDocument,
    "\n  query LiveBoards($accountId: ID!) {\n    boards(accountId: $accountId, isActive: true, first: 30) {\n      nodes {\n        id\n        name\n        shortCode\n        unit\n        state\n        endsAt\n        entryCount\n        game { slug name }\n        activity(minutes: 30) { at count }\n        scores(first: 1) { nodes { id playerName value valueDisplay } }\n      }\n    }\n  }\n": typeof types.LiveBoardsDocument,
    "\n  mutation StartSession($input: StartDeviceSessionInput!) {\n    startDeviceSession(input: $input) { session { accessToken identityId } }\n  }\n": typeof types.StartSessionDocument,
    "\n  query Nonce {\n    nonce { nonceValue }\n  }\n": typeof types.NonceDocument,
    "\n  mutation Submit($input: SubmitScoreInput!) {\n    submitScore(input: $input) { kept score { id rank identityId } }\n  }\n": typeof types.SubmitDocument,
    "\n  query BoardDistribution($boardId: ID!, $isTest: Boolean!) {\n    board(id: $boardId) {\n      id\n      distribution(isTest: $isTest) {\n        count\n        median\n        quantiles { share value }\n        bins { from to count }\n      }\n    }\n  }\n": typeof types.BoardDistributionDocument,
    "\n  query AccountNames {\n    accounts(first: 100, sort: \"name:asc\") { nodes { id name } }\n  }\n": typeof types.AccountNamesDocument,
    "\n  mutation ConsoleCode($email: String!) {\n    consoleCode(input: { email: $email }) { message codeExpiresIn }\n  }\n": typeof types.ConsoleCodeDocument,
    "\n  mutation ConsoleSignIn($email: String!, $code: String!) {\n    consoleSignIn(input: { email: $email, code: $code }) { key apiKey { id } }\n  }\n": typeof types.ConsoleSignInDocument,
    "\n  mutation EndKey($id: ID!) {\n    updateApiKey(id: $id, input: { status: REVOKED }) { apiKey { id status } }\n  }\n": typeof types.EndKeyDocument,
    "\n  query Find($accountId: ID!, $code: String!, $coded: Boolean!, $gameId: ID!, $name: String!, $inGame: Boolean!) {\n    byCode: boards(accountId: $accountId, code: $code, first: 1) @include(if: $coded) {\n      nodes { id name shortCode game { slug name } }\n    }\n    boards(accountId: $accountId, first: 100, sort: \"created_at:desc\") {\n      nodes { id name shortCode game { slug name } }\n    }\n    findIdentities(gameId: $gameId, name: $name, first: 5) @include(if: $inGame) { id displayName }\n  }\n": typeof types.FindDocument,
    "\n  query Audit($accountId: ID!, $action: AuditAction, $gameId: ID, $userId: ID, $subjectId: ID, $after: String) {\n    auditEntries(\n      accountId: $accountId\n      action: $action\n      gameId: $gameId\n      userId: $userId\n      subjectId: $subjectId\n      first: 50\n      after: $after\n    ) {\n      nodes { id action before after reason subjectId userId createdAt user { displayName } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.AuditDocument,
    "\n  query AuditUsers($accountId: ID!) {\n    users(accountId: $accountId, first: 100) { nodes { id displayName } }\n  }\n": typeof types.AuditUsersDocument,
    "\n  mutation BackToPending($id: ID!) {\n    reviewScoreFlag(id: $id, input: { status: PENDING }) { scoreFlag { id status } }\n  }\n": typeof types.BackToPendingDocument,
    "\n  query Subjects($ids: [ID!]!) {\n    nodes(ids: $ids) {\n      __typename\n      id\n      ... on ScoreFlag { identity { id displayName game { slug } } }\n      ... on Identity { displayName game { slug } }\n      ... on IdentityReview { identity { id displayName game { slug } } device { platform } }\n      ... on Device { platform }\n      ... on User { displayName }\n      ... on Board { name }\n      ... on Game { name }\n      ... on BoardTemplate { name }\n      ... on ApiKey { name }\n      ... on Account { name }\n    }\n  }\n": typeof types.SubjectsDocument,
    "\n  query FlagList($boardId: ID, $identityId: ID, $after: String) {\n    scoreFlags(boardId: $boardId, identityId: $identityId, first: 50, after: $after) {\n      nodes {\n        id\n        flagType\n        status\n        explanation\n        createdAt\n        board { name unit }\n        identity { displayName }\n        event { eventPayload }\n        reviewer { displayName }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.FlagListDocument,
    "\n  query RunList($boardId: ID!, $isTest: TestFilter, $after: String) {\n    scoreEvents(boardId: $boardId, isTest: $isTest, first: 50, after: $after) {\n      nodes {\n        id\n        identityId\n        eventPayload\n        createdAt\n        isTest\n        country\n        identity { displayName }\n        flags { id status }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.RunListDocument,
    "\n  mutation RaiseFlag($input: CreateScoreFlagInput!) {\n    createScoreFlag(input: $input) { scoreFlag { id } }\n  }\n": typeof types.RaiseFlagDocument,
    "\n  subscription BoardMoves($boardId: ID!) {\n    boardChanged(boardId: $boardId, first: 25) {\n      id\n      version\n      entryCount\n      scores { nodes { id rank identityId playerName value valueDisplay status updatedAt } }\n    }\n  }\n": typeof types.BoardMovesDocument,
    "\n  query Places($accountId: ID!, $boardId: ID!, $from: SafeInt!) {\n    scores(accountId: $accountId, boardId: $boardId, startRank: $from, first: 25) {\n      nodes { id rank identityId playerName value valueDisplay status updatedAt }\n      pageInfo { hasNextPage }\n    }\n  }\n": typeof types.PlacesDocument,
    "\n  query BoardAround($boardId: ID!) {\n    pendingFlags(boardId: $boardId) { count hasMore }\n    board(id: $boardId) { id activity(minutes: 30) { at count } }\n    scoreEvents(boardId: $boardId, first: 8) {\n      nodes { id identityId eventPayload createdAt identity { displayName } }\n    }\n  }\n": typeof types.BoardAroundDocument,
    "\n  query OtherPlayers($gameId: ID!, $name: String!) {\n    findIdentities(gameId: $gameId, name: $name, first: 10) { id displayName }\n  }\n": typeof types.OtherPlayersDocument,
    "\n  query PlayerPanel($accountId: ID!, $boardId: ID!, $identityId: ID!) {\n    identity(id: $identityId) {\n      id\n      displayName\n      flags(first: 20, status: PENDING) { nodes { id boardId } }\n    }\n    scores(accountId: $accountId, boardId: $boardId, identityId: $identityId, first: 1) {\n      nodes { id rank value valueDisplay percentile updatedAt }\n    }\n    scoreEvents(boardId: $boardId, identityId: $identityId, isTest: false, first: 60) {\n      nodes { id eventPayload createdAt }\n    }\n  }\n": typeof types.PlayerPanelDocument,
    "\n  query Series($id: ID!, $after: String) {\n    boardTemplate(id: $id) {\n      id\n      boards(first: 50, after: $after) {\n        nodes { id name shortCode state entryCount scores(first: 1) { nodes { id playerName } } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n": typeof types.SeriesDocument,
    "\n  query PreviewRules($id: ID!, $input: PreviewBoardChangeInput!) {\n    previewBoardChange(id: $id, input: $input) {\n      entriesNow\n      entriesAfter\n      moved\n      podium {\n        rank\n        moves\n        now { playerName value valueDisplay }\n        after { playerName value valueDisplay }\n      }\n    }\n  }\n": typeof types.PreviewRulesDocument,
    "\n  query Boards($slug: String!, $after: String) {\n    boards(gameSlug: $slug, first: 100, after: $after) {\n      nodes {\n        id\n        name\n        shortCode\n        state\n        isPublished\n        boardType\n        keepStrategy\n        sortDirection\n        startsAt\n        endsAt\n        entryCount\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.BoardsDocument,
    "\n  query FormGame($slug: String!) {\n    game(slug: $slug) { id accountId name slug }\n    boards(gameSlug: $slug, first: 100, sort: \"name:asc\") { nodes { id name boardType } }\n  }\n": typeof types.FormGameDocument,
    "\n  mutation CreateBoard($input: CreateBoardInput!) {\n    createBoard(input: $input) { board { id name shortCode } }\n  }\n": typeof types.CreateBoardDocument,
    "\n  mutation CreateTemplate($input: CreateBoardTemplateInput!) {\n    createBoardTemplate(input: $input) { boardTemplate { id name } }\n  }\n": typeof types.CreateTemplateDocument,
    "\n  query DeletedBoards($accountId: ID!, $after: String) {\n    boards(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id name game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.DeletedBoardsDocument,
    "\n  query DeletedGames($accountId: ID!, $after: String) {\n    games(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id name }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.DeletedGamesDocument,
    "\n  query DeletedTemplates($accountId: ID!, $after: String) {\n    boardTemplates(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id name game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.DeletedTemplatesDocument,
    "\n  query DeletedPlayers($accountId: ID!, $after: String) {\n    identities(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id displayName externalKey game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.DeletedPlayersDocument,
    "\n  query DeletedDevices($accountId: ID!, $after: String) {\n    devices(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id platform identity { displayName } game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.DeletedDevicesDocument,
    "\n  query Deletions($accountId: ID!) {\n    auditEntries(accountId: $accountId, action: RECORD_DELETED, first: 100) {\n      nodes { id subjectId createdAt userId user { displayName } }\n    }\n  }\n": typeof types.DeletionsDocument,
    "\n  query FairPlayEffect($gameId: ID!, $settings: JSONObject) {\n    previewFairPlay(gameId: $gameId, settings: $settings) {\n      submissions\n      since\n      confirmedCheats\n      falsePositives\n      now { flagged rejected players confirmedCheats falsePositives checks { flagType count } }\n      after { flagged rejected players confirmedCheats falsePositives checks { flagType count } }\n      found { scoreEventId rejects explanation event { identityId createdAt identity { displayName } } }\n      lost { scoreEventId rejects explanation event { identityId createdAt identity { displayName } } }\n    }\n  }\n": typeof types.FairPlayEffectDocument,
    "\n  query FairPlayGame($slug: String!) {\n    game(slug: $slug) { id name antiCheatEnabled antiCheatSettings }\n  }\n": typeof types.FairPlayGameDocument,
    "\n  mutation FirstBoard($input: CreateBoardInput!) {\n    createBoard(input: $input) { board { id name shortCode } }\n  }\n": typeof types.FirstBoardDocument,
    "\n  query GameForm($slug: String!) {\n    game(slug: $slug) { id name slug description pageUrl accentColour logoUrl coverUrl platformAppId tags defaultBoardId }\n    boards(gameSlug: $slug, first: 100, sort: \"name:asc\") { nodes { id name } }\n  }\n": typeof types.GameFormDocument,
    "\n  query GameList($accountId: ID!, $after: String) {\n    games(accountId: $accountId, first: 50, after: $after, sort: \"name:asc\") {\n      nodes { id name slug antiCheatEnabled createdAt defaultBoard { id name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.GameListDocument,
    "\n  mutation CreateGame($input: CreateGameInput!) {\n    createGame(input: $input) { game { id name slug } }\n  }\n": typeof types.CreateGameDocument,
    "\n  mutation UpdateGame($id: ID!, $input: UpdateGameInput!) {\n    updateGame(id: $id, input: $input) { game { id name slug } }\n  }\n": typeof types.UpdateGameDocument,
    "\n  query AccountList($after: String) {\n    accounts(first: 50, after: $after) {\n      nodes { id name slug status createdAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.AccountListDocument,
    "\n  mutation CreateAccount($input: CreateAccountInput!) {\n    createAccount(input: $input) { account { id name } }\n  }\n": typeof types.CreateAccountDocument,
    "\n  mutation UpdateAccount($id: ID!, $input: UpdateAccountInput!) {\n    updateAccount(id: $id, input: $input) { account { id status } }\n  }\n": typeof types.UpdateAccountDocument,
    "\n  query JamCodeList($after: String) {\n    jamCodes(first: 50, after: $after) {\n      nodes { id code description active expiresAt maxUses currentUses lastRedeemedAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.JamCodeListDocument,
    "\n  mutation CreateJamCode($input: CreateJamCodeInput!) {\n    createJamCode(input: $input) { jamCode { id code } }\n  }\n": typeof types.CreateJamCodeDocument,
    "\n  mutation UpdateJamCode($id: ID!, $input: UpdateJamCodeInput!) {\n    updateJamCode(id: $id, input: $input) { jamCode { id active } }\n  }\n": typeof types.UpdateJamCodeDocument,
    "\n  query Jobs {\n    jobs {\n      name\n      description\n      runs\n      failures\n      lastError\n      lastFailedAt\n      lastFinishedAt\n      lastDone\n      nextRunAt\n    }\n  }\n": typeof types.JobsDocument,
    "\n  query ComingUp($accountId: ID!, $now: DateTime!) {\n    boards(accountId: $accountId, startsAfter: $now, first: 20) {\n      nodes { id name shortCode startsAt game { slug } template { name repeatInterval } }\n    }\n    boardTemplates(accountId: $accountId, isActive: true, first: 20) {\n      nodes { id name repeatInterval nextRunAt game { slug } }\n    }\n  }\n": typeof types.ComingUpDocument,
    "\n  query Service {\n    jobs { name lastError lastFailedAt lastFinishedAt }\n  }\n": typeof types.ServiceDocument,
    "\n  query KeyList($accountId: ID!, $after: String) {\n    apiKeys(accountId: $accountId, first: 50, after: $after) {\n      nodes { id name prefix status expiresAt lastUsedAt createdAt user { displayName } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.KeyListDocument,
    "\n  query KeyUsers($accountId: ID!) {\n    users(accountId: $accountId, first: 100) { nodes { id displayName status } }\n  }\n": typeof types.KeyUsersDocument,
    "\n  mutation CreateKey($input: CreateApiKeyInput!) {\n    createApiKey(input: $input) { apiKey { id name key } }\n  }\n": typeof types.CreateKeyDocument,
    "\n  mutation UpdateKey($id: ID!, $input: UpdateApiKeyInput!) {\n    updateApiKey(id: $id, input: $input) { apiKey { id status } }\n  }\n": typeof types.UpdateKeyDocument,
    "\n  query UserList($accountId: ID!, $after: String) {\n    users(accountId: $accountId, first: 50, after: $after) {\n      nodes { id displayName email emailVerifiedAt status superAdmin }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.UserListDocument,
    "\n  mutation Invite($input: InviteUserInput!) {\n    inviteUser(input: $input) { user { id } }\n  }\n": typeof types.InviteDocument,
    "\n  mutation UpdateUser($id: ID!, $input: UpdateUserInput!) {\n    updateUser(id: $id, input: $input) { user { id status } }\n  }\n": typeof types.UpdateUserDocument,
    "\n  query Player($id: ID!) {\n    identity(id: $id) {\n      id\n      displayName\n      kind\n      externalKey\n      trustTier\n      trustTierReason\n      createdAt\n      gameId\n      game { id name slug }\n      devices(first: 20) { nodes { id platform status firstSeenAt lastSeenAt } }\n      scores(first: 30) {\n        nodes {\n          id\n          rank\n          value\n          valueDisplay\n          percentile\n          updatedAt\n          status\n          board { id name shortCode unit sortDirection }\n        }\n      }\n    }\n  }\n": typeof types.PlayerDocument,
    "\n  query PlayerRuns($boardId: ID!, $identityId: ID!) {\n    scoreEvents(boardId: $boardId, identityId: $identityId, first: 100) {\n      nodes { id eventPayload createdAt isTest }\n    }\n  }\n": typeof types.PlayerRunsDocument,
    "\n  mutation UpdatePlayer($id: ID!, $input: UpdateIdentityInput!) {\n    updateIdentity(id: $id, input: $input) { identity { id displayName trustTier trustTierReason } }\n  }\n": typeof types.UpdatePlayerDocument,
    "\n  mutation UpdateDevice($id: ID!, $input: UpdateDeviceInput!) {\n    updateDevice(id: $id, input: $input) { device { id status } }\n  }\n": typeof types.UpdateDeviceDocument,
    "\n  query Sessions($deviceId: ID!) {\n    deviceSessions(deviceId: $deviceId, first: 10) {\n      nodes { id status ipAddress userAgent createdAt refreshExpiresAt }\n    }\n  }\n": typeof types.SessionsDocument,
    "\n  mutation UpdateSession($id: ID!, $input: UpdateDeviceSessionInput!) {\n    updateDeviceSession(id: $id, input: $input) { deviceSession { id status } }\n  }\n": typeof types.UpdateSessionDocument,
    "\n  query Trail($subjectId: ID!) {\n    auditEntries(subjectId: $subjectId, first: 20) {\n      nodes { id action before after subjectId userId createdAt user { displayName } }\n    }\n  }\n": typeof types.TrailDocument,
    "\n  query PlayersGame($slug: String!) {\n    game(slug: $slug) { id name }\n  }\n": typeof types.PlayersGameDocument,
    "\n  query FindPlayers($gameId: ID!, $name: String!) {\n    findIdentities(gameId: $gameId, name: $name, first: 50) { id displayName kind trustTier createdAt }\n  }\n": typeof types.FindPlayersDocument,
    "\n  query Players($gameId: ID!, $after: String) {\n    identities(gameId: $gameId, first: 100, after: $after) {\n      nodes { id displayName kind trustTier createdAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.PlayersDocument,
    "\n  query FlagEffect($id: ID!) {\n    previewScoreFlagReview(id: $id, status: CONFIRMED_CHEAT) { before { rank } after { rank } othersMoved }\n  }\n": typeof types.FlagEffectDocument,
    "\n  query Flags($accountId: ID!, $gameId: ID, $boardId: ID, $flagType: FlagType, $first: Int!, $after: String) {\n    scoreFlags(\n      accountId: $accountId\n      gameId: $gameId\n      boardId: $boardId\n      flagType: $flagType\n      status: PENDING\n      first: $first\n      after: $after\n    ) {\n      nodes {\n        id\n        flagType\n        confidence\n        status\n        createdAt\n        boardId\n        gameId\n        identityId\n        board { name unit }\n        identity { displayName }\n        event { eventPayload }\n        reviewer { displayName }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.FlagsDocument,
    "\n  query OneFlag($id: ID!) {\n    scoreFlag(id: $id) {\n      id\n      flagType\n      confidence\n      status\n      createdAt\n      boardId\n      gameId\n      identityId\n      board { name unit }\n      identity { displayName }\n      event { eventPayload }\n      reviewer { displayName }\n    }\n  }\n": typeof types.OneFlagDocument,
    "\n  subscription NewFlag($accountId: ID!, $gameId: ID, $after: ID) {\n    scoreFlagged(accountId: $accountId, gameId: $gameId, after: $after) {\n      id\n      flagType\n      confidence\n      status\n      createdAt\n      boardId\n      gameId\n      identityId\n      board { name unit }\n      identity { displayName }\n      event { eventPayload }\n      reviewer { displayName }\n    }\n  }\n": typeof types.NewFlagDocument,
    "\n  subscription FlagReviewed($accountId: ID!, $gameId: ID, $after: String) {\n    scoreFlagReviewed(accountId: $accountId, gameId: $gameId, after: $after) {\n      cursor\n      id\n      scoreFlag { id status reviewedAt reviewerId reviewer { displayName } }\n    }\n  }\n": typeof types.FlagReviewedDocument,
    "\n  query Flag($accountId: ID!, $id: ID!, $boardId: ID!, $identityId: ID!) {\n    scoreFlag(id: $id) {\n      id\n      flagType\n      confidence\n      status\n      explanation\n      isTest\n      createdAt\n      reviewedAt\n      reviewerDecision\n      reviewer { displayName }\n      device { id platform status }\n      event { id eventPayload createdAt isTest }\n      comparedEvents { id eventPayload createdAt identityId identity { displayName } }\n      board { id name shortCode unit boardType sortDirection keepStrategy entryCount game { slug name } }\n      identity {\n        id\n        displayName\n        trustTier\n        createdAt\n        devices(first: 5) { nodes { id platform } pageInfo { hasNextPage } }\n        flags(first: 50) { nodes { id status boardId } pageInfo { hasNextPage } }\n      }\n    }\n    runs: scoreEvents(boardId: $boardId, identityId: $identityId, first: 60) {\n      nodes { id eventPayload createdAt isTest }\n      pageInfo { hasNextPage }\n    }\n    place: scores(accountId: $accountId, boardId: $boardId, identityId: $identityId, first: 1) {\n      nodes { id rank value valueDisplay scoreEventId }\n    }\n  }\n": typeof types.FlagDocument,
    "\n  mutation Review($id: ID!, $status: FlagStatus!, $reason: String, $identityId: ID!) {\n    reviewScoreFlag(id: $id, input: { status: $status, reviewerDecision: $reason }) {\n      scoreFlag {\n        id\n        status\n        board { id scores(identityId: $identityId, first: 1) { nodes { id rank } } }\n      }\n    }\n  }\n": typeof types.ReviewDocument,
    "\n  mutation ReviewRuns($input: ReviewIdentityInput!) {\n    reviewIdentity(input: $input) {\n      review { id status }\n      bannedDeviceIds\n      boards {\n        boardId\n        runs\n        moved\n        failure\n        board { name unit }\n        podium {\n          rank\n          moves\n          before { playerName value valueDisplay }\n          after { playerName value valueDisplay }\n        }\n      }\n    }\n  }\n": typeof types.ReviewRunsDocument,
    "\n  query ReviewState($id: ID!) {\n    identityReview(id: $id) {\n      id\n      status\n      boards { boardId runs undone failure board { name } }\n    }\n  }\n": typeof types.ReviewStateDocument,
    "\n  mutation UndoRuns($id: ID!) {\n    updateIdentityReview(id: $id, input: { undone: true }) { identityReview { id status } }\n  }\n": typeof types.UndoRunsDocument,
    "\n  query Template($id: ID!) {\n    boardTemplate(id: $id) {\n      id\n      name\n      nameTemplate\n      repeatInterval\n      nextRunAt\n      isActive\n      isPublished\n      publicFields\n      boardType\n      keepStrategy\n      sortDirection\n      unit\n      lastError\n      retryAt\n      game { name slug }\n    }\n  }\n": typeof types.TemplateDocument,
    "\n  mutation UpdateTemplate($id: ID!, $input: UpdateBoardTemplateInput!) {\n    updateBoardTemplate(id: $id, input: $input) { boardTemplate { id name } }\n  }\n": typeof types.UpdateTemplateDocument,
    "\n  query TemplateList($gameId: ID!, $after: String) {\n    boardTemplates(gameId: $gameId, first: 50, after: $after) {\n      nodes { id name repeatInterval nextRunAt isActive boardsMade lastError }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": typeof types.TemplateListDocument,
    "\n  query Windows($id: ID, $input: PreviewBoardTemplateInput!) {\n    previewBoardTemplate(id: $id, input: $input) { name startsAt endsAt madeAt fault }\n  }\n": typeof types.WindowsDocument,
};
const documents: Documents = {
    "\n  query Board($code: String!) {\n    board(shortCode: $code) {\n      id\n      accountId\n      gameId\n      name\n      slug\n      shortCode\n      description\n      icon\n      unit\n      tags\n      state\n      isActive\n      isPublished\n      publicFields\n      boardType\n      keepStrategy\n      sortDirection\n      startsAt\n      endsAt\n      entryCount\n      templateName\n      createdAt\n      template { id name }\n      previousPeriod { id name shortCode state }\n      nextPeriod { id name shortCode state }\n      ratioConfig {\n        numeratorBoard { name }\n        denominatorBoard { name }\n        minNumerator\n        minDenominator\n        scale\n        decimals\n        display\n        zeroDenominatorPolicy\n      }\n      game { id name slug }\n    }\n  }\n": types.BoardDocument,
    "\n  mutation UpdateBoard($id: ID!, $input: UpdateBoardInput!) {\n    updateBoard(id: $id, input: $input) { board { id name shortCode } }\n  }\n": types.UpdateBoardDocument,
    "\n  mutation Restore($id: ID!) {\n    restore(id: $id) { node { id } }\n  }\n": types.RestoreDocument,
    "\n  query Me {\n    me {\n      superAdmin\n      accountId\n      account { id name }\n      user { id displayName email }\n      apiKey { id name expiresAt }\n    }\n  }\n": types.MeDocument,
    "\n  query Games($accountId: ID!) {\n    games(accountId: $accountId, first: 100, sort: \"name:asc\") {\n      nodes { id name slug }\n    }\n  }\n": types.GamesDocument,
    "\n  query Pending($accountId: ID!) {\n    pendingFlags(accountId: $accountId) { count hasMore }\n  }\n": types.PendingDocument,
    "\n  query Overview($accountId: ID!) {\n    boards(accountId: $accountId, isActive: true, first: 100) {\n      nodes { id state gameId }\n      pageInfo { hasNextPage }\n    }\n    oldest: scoreFlags(accountId: $accountId, status: PENDING, last: 1) { nodes { id createdAt } }\n    auditEntries(accountId: $accountId, first: 100) {\n      nodes { id action before after subjectId userId createdAt user { displayName } }\n    }\n  }\n": types.OverviewDocument,
    "\n  query LiveBoards($accountId: ID!) {\n    boards(accountId: $accountId, isActive: true, first: 30) {\n      nodes {\n        id\n        name\n        shortCode\n        unit\n        state\n        endsAt\n        entryCount\n        game { slug name }\n        activity(minutes: 30) { at count }\n        scores(first: 1) { nodes { id playerName value valueDisplay } }\n      }\n    }\n  }\n": types.LiveBoardsDocument,
    "\n  mutation StartSession($input: StartDeviceSessionInput!) {\n    startDeviceSession(input: $input) { session { accessToken identityId } }\n  }\n": types.StartSessionDocument,
    "\n  query Nonce {\n    nonce { nonceValue }\n  }\n": types.NonceDocument,
    "\n  mutation Submit($input: SubmitScoreInput!) {\n    submitScore(input: $input) { kept score { id rank identityId } }\n  }\n": types.SubmitDocument,
    "\n  query BoardDistribution($boardId: ID!, $isTest: Boolean!) {\n    board(id: $boardId) {\n      id\n      distribution(isTest: $isTest) {\n        count\n        median\n        quantiles { share value }\n        bins { from to count }\n      }\n    }\n  }\n": types.BoardDistributionDocument,
    "\n  query AccountNames {\n    accounts(first: 100, sort: \"name:asc\") { nodes { id name } }\n  }\n": types.AccountNamesDocument,
    "\n  mutation ConsoleCode($email: String!) {\n    consoleCode(input: { email: $email }) { message codeExpiresIn }\n  }\n": types.ConsoleCodeDocument,
    "\n  mutation ConsoleSignIn($email: String!, $code: String!) {\n    consoleSignIn(input: { email: $email, code: $code }) { key apiKey { id } }\n  }\n": types.ConsoleSignInDocument,
    "\n  mutation EndKey($id: ID!) {\n    updateApiKey(id: $id, input: { status: REVOKED }) { apiKey { id status } }\n  }\n": types.EndKeyDocument,
    "\n  query Find($accountId: ID!, $code: String!, $coded: Boolean!, $gameId: ID!, $name: String!, $inGame: Boolean!) {\n    byCode: boards(accountId: $accountId, code: $code, first: 1) @include(if: $coded) {\n      nodes { id name shortCode game { slug name } }\n    }\n    boards(accountId: $accountId, first: 100, sort: \"created_at:desc\") {\n      nodes { id name shortCode game { slug name } }\n    }\n    findIdentities(gameId: $gameId, name: $name, first: 5) @include(if: $inGame) { id displayName }\n  }\n": types.FindDocument,
    "\n  query Audit($accountId: ID!, $action: AuditAction, $gameId: ID, $userId: ID, $subjectId: ID, $after: String) {\n    auditEntries(\n      accountId: $accountId\n      action: $action\n      gameId: $gameId\n      userId: $userId\n      subjectId: $subjectId\n      first: 50\n      after: $after\n    ) {\n      nodes { id action before after reason subjectId userId createdAt user { displayName } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.AuditDocument,
    "\n  query AuditUsers($accountId: ID!) {\n    users(accountId: $accountId, first: 100) { nodes { id displayName } }\n  }\n": types.AuditUsersDocument,
    "\n  mutation BackToPending($id: ID!) {\n    reviewScoreFlag(id: $id, input: { status: PENDING }) { scoreFlag { id status } }\n  }\n": types.BackToPendingDocument,
    "\n  query Subjects($ids: [ID!]!) {\n    nodes(ids: $ids) {\n      __typename\n      id\n      ... on ScoreFlag { identity { id displayName game { slug } } }\n      ... on Identity { displayName game { slug } }\n      ... on IdentityReview { identity { id displayName game { slug } } device { platform } }\n      ... on Device { platform }\n      ... on User { displayName }\n      ... on Board { name }\n      ... on Game { name }\n      ... on BoardTemplate { name }\n      ... on ApiKey { name }\n      ... on Account { name }\n    }\n  }\n": types.SubjectsDocument,
    "\n  query FlagList($boardId: ID, $identityId: ID, $after: String) {\n    scoreFlags(boardId: $boardId, identityId: $identityId, first: 50, after: $after) {\n      nodes {\n        id\n        flagType\n        status\n        explanation\n        createdAt\n        board { name unit }\n        identity { displayName }\n        event { eventPayload }\n        reviewer { displayName }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.FlagListDocument,
    "\n  query RunList($boardId: ID!, $isTest: TestFilter, $after: String) {\n    scoreEvents(boardId: $boardId, isTest: $isTest, first: 50, after: $after) {\n      nodes {\n        id\n        identityId\n        eventPayload\n        createdAt\n        isTest\n        country\n        identity { displayName }\n        flags { id status }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.RunListDocument,
    "\n  mutation RaiseFlag($input: CreateScoreFlagInput!) {\n    createScoreFlag(input: $input) { scoreFlag { id } }\n  }\n": types.RaiseFlagDocument,
    "\n  subscription BoardMoves($boardId: ID!) {\n    boardChanged(boardId: $boardId, first: 25) {\n      id\n      version\n      entryCount\n      scores { nodes { id rank identityId playerName value valueDisplay status updatedAt } }\n    }\n  }\n": types.BoardMovesDocument,
    "\n  query Places($accountId: ID!, $boardId: ID!, $from: SafeInt!) {\n    scores(accountId: $accountId, boardId: $boardId, startRank: $from, first: 25) {\n      nodes { id rank identityId playerName value valueDisplay status updatedAt }\n      pageInfo { hasNextPage }\n    }\n  }\n": types.PlacesDocument,
    "\n  query BoardAround($boardId: ID!) {\n    pendingFlags(boardId: $boardId) { count hasMore }\n    board(id: $boardId) { id activity(minutes: 30) { at count } }\n    scoreEvents(boardId: $boardId, first: 8) {\n      nodes { id identityId eventPayload createdAt identity { displayName } }\n    }\n  }\n": types.BoardAroundDocument,
    "\n  query OtherPlayers($gameId: ID!, $name: String!) {\n    findIdentities(gameId: $gameId, name: $name, first: 10) { id displayName }\n  }\n": types.OtherPlayersDocument,
    "\n  query PlayerPanel($accountId: ID!, $boardId: ID!, $identityId: ID!) {\n    identity(id: $identityId) {\n      id\n      displayName\n      flags(first: 20, status: PENDING) { nodes { id boardId } }\n    }\n    scores(accountId: $accountId, boardId: $boardId, identityId: $identityId, first: 1) {\n      nodes { id rank value valueDisplay percentile updatedAt }\n    }\n    scoreEvents(boardId: $boardId, identityId: $identityId, isTest: false, first: 60) {\n      nodes { id eventPayload createdAt }\n    }\n  }\n": types.PlayerPanelDocument,
    "\n  query Series($id: ID!, $after: String) {\n    boardTemplate(id: $id) {\n      id\n      boards(first: 50, after: $after) {\n        nodes { id name shortCode state entryCount scores(first: 1) { nodes { id playerName } } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n": types.SeriesDocument,
    "\n  query PreviewRules($id: ID!, $input: PreviewBoardChangeInput!) {\n    previewBoardChange(id: $id, input: $input) {\n      entriesNow\n      entriesAfter\n      moved\n      podium {\n        rank\n        moves\n        now { playerName value valueDisplay }\n        after { playerName value valueDisplay }\n      }\n    }\n  }\n": types.PreviewRulesDocument,
    "\n  query Boards($slug: String!, $after: String) {\n    boards(gameSlug: $slug, first: 100, after: $after) {\n      nodes {\n        id\n        name\n        shortCode\n        state\n        isPublished\n        boardType\n        keepStrategy\n        sortDirection\n        startsAt\n        endsAt\n        entryCount\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.BoardsDocument,
    "\n  query FormGame($slug: String!) {\n    game(slug: $slug) { id accountId name slug }\n    boards(gameSlug: $slug, first: 100, sort: \"name:asc\") { nodes { id name boardType } }\n  }\n": types.FormGameDocument,
    "\n  mutation CreateBoard($input: CreateBoardInput!) {\n    createBoard(input: $input) { board { id name shortCode } }\n  }\n": types.CreateBoardDocument,
    "\n  mutation CreateTemplate($input: CreateBoardTemplateInput!) {\n    createBoardTemplate(input: $input) { boardTemplate { id name } }\n  }\n": types.CreateTemplateDocument,
    "\n  query DeletedBoards($accountId: ID!, $after: String) {\n    boards(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id name game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.DeletedBoardsDocument,
    "\n  query DeletedGames($accountId: ID!, $after: String) {\n    games(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id name }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.DeletedGamesDocument,
    "\n  query DeletedTemplates($accountId: ID!, $after: String) {\n    boardTemplates(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id name game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.DeletedTemplatesDocument,
    "\n  query DeletedPlayers($accountId: ID!, $after: String) {\n    identities(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id displayName externalKey game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.DeletedPlayersDocument,
    "\n  query DeletedDevices($accountId: ID!, $after: String) {\n    devices(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id platform identity { displayName } game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.DeletedDevicesDocument,
    "\n  query Deletions($accountId: ID!) {\n    auditEntries(accountId: $accountId, action: RECORD_DELETED, first: 100) {\n      nodes { id subjectId createdAt userId user { displayName } }\n    }\n  }\n": types.DeletionsDocument,
    "\n  query FairPlayEffect($gameId: ID!, $settings: JSONObject) {\n    previewFairPlay(gameId: $gameId, settings: $settings) {\n      submissions\n      since\n      confirmedCheats\n      falsePositives\n      now { flagged rejected players confirmedCheats falsePositives checks { flagType count } }\n      after { flagged rejected players confirmedCheats falsePositives checks { flagType count } }\n      found { scoreEventId rejects explanation event { identityId createdAt identity { displayName } } }\n      lost { scoreEventId rejects explanation event { identityId createdAt identity { displayName } } }\n    }\n  }\n": types.FairPlayEffectDocument,
    "\n  query FairPlayGame($slug: String!) {\n    game(slug: $slug) { id name antiCheatEnabled antiCheatSettings }\n  }\n": types.FairPlayGameDocument,
    "\n  mutation FirstBoard($input: CreateBoardInput!) {\n    createBoard(input: $input) { board { id name shortCode } }\n  }\n": types.FirstBoardDocument,
    "\n  query GameForm($slug: String!) {\n    game(slug: $slug) { id name slug description pageUrl accentColour logoUrl coverUrl platformAppId tags defaultBoardId }\n    boards(gameSlug: $slug, first: 100, sort: \"name:asc\") { nodes { id name } }\n  }\n": types.GameFormDocument,
    "\n  query GameList($accountId: ID!, $after: String) {\n    games(accountId: $accountId, first: 50, after: $after, sort: \"name:asc\") {\n      nodes { id name slug antiCheatEnabled createdAt defaultBoard { id name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.GameListDocument,
    "\n  mutation CreateGame($input: CreateGameInput!) {\n    createGame(input: $input) { game { id name slug } }\n  }\n": types.CreateGameDocument,
    "\n  mutation UpdateGame($id: ID!, $input: UpdateGameInput!) {\n    updateGame(id: $id, input: $input) { game { id name slug } }\n  }\n": types.UpdateGameDocument,
    "\n  query AccountList($after: String) {\n    accounts(first: 50, after: $after) {\n      nodes { id name slug status createdAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.AccountListDocument,
    "\n  mutation CreateAccount($input: CreateAccountInput!) {\n    createAccount(input: $input) { account { id name } }\n  }\n": types.CreateAccountDocument,
    "\n  mutation UpdateAccount($id: ID!, $input: UpdateAccountInput!) {\n    updateAccount(id: $id, input: $input) { account { id status } }\n  }\n": types.UpdateAccountDocument,
    "\n  query JamCodeList($after: String) {\n    jamCodes(first: 50, after: $after) {\n      nodes { id code description active expiresAt maxUses currentUses lastRedeemedAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.JamCodeListDocument,
    "\n  mutation CreateJamCode($input: CreateJamCodeInput!) {\n    createJamCode(input: $input) { jamCode { id code } }\n  }\n": types.CreateJamCodeDocument,
    "\n  mutation UpdateJamCode($id: ID!, $input: UpdateJamCodeInput!) {\n    updateJamCode(id: $id, input: $input) { jamCode { id active } }\n  }\n": types.UpdateJamCodeDocument,
    "\n  query Jobs {\n    jobs {\n      name\n      description\n      runs\n      failures\n      lastError\n      lastFailedAt\n      lastFinishedAt\n      lastDone\n      nextRunAt\n    }\n  }\n": types.JobsDocument,
    "\n  query ComingUp($accountId: ID!, $now: DateTime!) {\n    boards(accountId: $accountId, startsAfter: $now, first: 20) {\n      nodes { id name shortCode startsAt game { slug } template { name repeatInterval } }\n    }\n    boardTemplates(accountId: $accountId, isActive: true, first: 20) {\n      nodes { id name repeatInterval nextRunAt game { slug } }\n    }\n  }\n": types.ComingUpDocument,
    "\n  query Service {\n    jobs { name lastError lastFailedAt lastFinishedAt }\n  }\n": types.ServiceDocument,
    "\n  query KeyList($accountId: ID!, $after: String) {\n    apiKeys(accountId: $accountId, first: 50, after: $after) {\n      nodes { id name prefix status expiresAt lastUsedAt createdAt user { displayName } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.KeyListDocument,
    "\n  query KeyUsers($accountId: ID!) {\n    users(accountId: $accountId, first: 100) { nodes { id displayName status } }\n  }\n": types.KeyUsersDocument,
    "\n  mutation CreateKey($input: CreateApiKeyInput!) {\n    createApiKey(input: $input) { apiKey { id name key } }\n  }\n": types.CreateKeyDocument,
    "\n  mutation UpdateKey($id: ID!, $input: UpdateApiKeyInput!) {\n    updateApiKey(id: $id, input: $input) { apiKey { id status } }\n  }\n": types.UpdateKeyDocument,
    "\n  query UserList($accountId: ID!, $after: String) {\n    users(accountId: $accountId, first: 50, after: $after) {\n      nodes { id displayName email emailVerifiedAt status superAdmin }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.UserListDocument,
    "\n  mutation Invite($input: InviteUserInput!) {\n    inviteUser(input: $input) { user { id } }\n  }\n": types.InviteDocument,
    "\n  mutation UpdateUser($id: ID!, $input: UpdateUserInput!) {\n    updateUser(id: $id, input: $input) { user { id status } }\n  }\n": types.UpdateUserDocument,
    "\n  query Player($id: ID!) {\n    identity(id: $id) {\n      id\n      displayName\n      kind\n      externalKey\n      trustTier\n      trustTierReason\n      createdAt\n      gameId\n      game { id name slug }\n      devices(first: 20) { nodes { id platform status firstSeenAt lastSeenAt } }\n      scores(first: 30) {\n        nodes {\n          id\n          rank\n          value\n          valueDisplay\n          percentile\n          updatedAt\n          status\n          board { id name shortCode unit sortDirection }\n        }\n      }\n    }\n  }\n": types.PlayerDocument,
    "\n  query PlayerRuns($boardId: ID!, $identityId: ID!) {\n    scoreEvents(boardId: $boardId, identityId: $identityId, first: 100) {\n      nodes { id eventPayload createdAt isTest }\n    }\n  }\n": types.PlayerRunsDocument,
    "\n  mutation UpdatePlayer($id: ID!, $input: UpdateIdentityInput!) {\n    updateIdentity(id: $id, input: $input) { identity { id displayName trustTier trustTierReason } }\n  }\n": types.UpdatePlayerDocument,
    "\n  mutation UpdateDevice($id: ID!, $input: UpdateDeviceInput!) {\n    updateDevice(id: $id, input: $input) { device { id status } }\n  }\n": types.UpdateDeviceDocument,
    "\n  query Sessions($deviceId: ID!) {\n    deviceSessions(deviceId: $deviceId, first: 10) {\n      nodes { id status ipAddress userAgent createdAt refreshExpiresAt }\n    }\n  }\n": types.SessionsDocument,
    "\n  mutation UpdateSession($id: ID!, $input: UpdateDeviceSessionInput!) {\n    updateDeviceSession(id: $id, input: $input) { deviceSession { id status } }\n  }\n": types.UpdateSessionDocument,
    "\n  query Trail($subjectId: ID!) {\n    auditEntries(subjectId: $subjectId, first: 20) {\n      nodes { id action before after subjectId userId createdAt user { displayName } }\n    }\n  }\n": types.TrailDocument,
    "\n  query PlayersGame($slug: String!) {\n    game(slug: $slug) { id name }\n  }\n": types.PlayersGameDocument,
    "\n  query FindPlayers($gameId: ID!, $name: String!) {\n    findIdentities(gameId: $gameId, name: $name, first: 50) { id displayName kind trustTier createdAt }\n  }\n": types.FindPlayersDocument,
    "\n  query Players($gameId: ID!, $after: String) {\n    identities(gameId: $gameId, first: 100, after: $after) {\n      nodes { id displayName kind trustTier createdAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.PlayersDocument,
    "\n  query FlagEffect($id: ID!) {\n    previewScoreFlagReview(id: $id, status: CONFIRMED_CHEAT) { before { rank } after { rank } othersMoved }\n  }\n": types.FlagEffectDocument,
    "\n  query Flags($accountId: ID!, $gameId: ID, $boardId: ID, $flagType: FlagType, $first: Int!, $after: String) {\n    scoreFlags(\n      accountId: $accountId\n      gameId: $gameId\n      boardId: $boardId\n      flagType: $flagType\n      status: PENDING\n      first: $first\n      after: $after\n    ) {\n      nodes {\n        id\n        flagType\n        confidence\n        status\n        createdAt\n        boardId\n        gameId\n        identityId\n        board { name unit }\n        identity { displayName }\n        event { eventPayload }\n        reviewer { displayName }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.FlagsDocument,
    "\n  query OneFlag($id: ID!) {\n    scoreFlag(id: $id) {\n      id\n      flagType\n      confidence\n      status\n      createdAt\n      boardId\n      gameId\n      identityId\n      board { name unit }\n      identity { displayName }\n      event { eventPayload }\n      reviewer { displayName }\n    }\n  }\n": types.OneFlagDocument,
    "\n  subscription NewFlag($accountId: ID!, $gameId: ID, $after: ID) {\n    scoreFlagged(accountId: $accountId, gameId: $gameId, after: $after) {\n      id\n      flagType\n      confidence\n      status\n      createdAt\n      boardId\n      gameId\n      identityId\n      board { name unit }\n      identity { displayName }\n      event { eventPayload }\n      reviewer { displayName }\n    }\n  }\n": types.NewFlagDocument,
    "\n  subscription FlagReviewed($accountId: ID!, $gameId: ID, $after: String) {\n    scoreFlagReviewed(accountId: $accountId, gameId: $gameId, after: $after) {\n      cursor\n      id\n      scoreFlag { id status reviewedAt reviewerId reviewer { displayName } }\n    }\n  }\n": types.FlagReviewedDocument,
    "\n  query Flag($accountId: ID!, $id: ID!, $boardId: ID!, $identityId: ID!) {\n    scoreFlag(id: $id) {\n      id\n      flagType\n      confidence\n      status\n      explanation\n      isTest\n      createdAt\n      reviewedAt\n      reviewerDecision\n      reviewer { displayName }\n      device { id platform status }\n      event { id eventPayload createdAt isTest }\n      comparedEvents { id eventPayload createdAt identityId identity { displayName } }\n      board { id name shortCode unit boardType sortDirection keepStrategy entryCount game { slug name } }\n      identity {\n        id\n        displayName\n        trustTier\n        createdAt\n        devices(first: 5) { nodes { id platform } pageInfo { hasNextPage } }\n        flags(first: 50) { nodes { id status boardId } pageInfo { hasNextPage } }\n      }\n    }\n    runs: scoreEvents(boardId: $boardId, identityId: $identityId, first: 60) {\n      nodes { id eventPayload createdAt isTest }\n      pageInfo { hasNextPage }\n    }\n    place: scores(accountId: $accountId, boardId: $boardId, identityId: $identityId, first: 1) {\n      nodes { id rank value valueDisplay scoreEventId }\n    }\n  }\n": types.FlagDocument,
    "\n  mutation Review($id: ID!, $status: FlagStatus!, $reason: String, $identityId: ID!) {\n    reviewScoreFlag(id: $id, input: { status: $status, reviewerDecision: $reason }) {\n      scoreFlag {\n        id\n        status\n        board { id scores(identityId: $identityId, first: 1) { nodes { id rank } } }\n      }\n    }\n  }\n": types.ReviewDocument,
    "\n  mutation ReviewRuns($input: ReviewIdentityInput!) {\n    reviewIdentity(input: $input) {\n      review { id status }\n      bannedDeviceIds\n      boards {\n        boardId\n        runs\n        moved\n        failure\n        board { name unit }\n        podium {\n          rank\n          moves\n          before { playerName value valueDisplay }\n          after { playerName value valueDisplay }\n        }\n      }\n    }\n  }\n": types.ReviewRunsDocument,
    "\n  query ReviewState($id: ID!) {\n    identityReview(id: $id) {\n      id\n      status\n      boards { boardId runs undone failure board { name } }\n    }\n  }\n": types.ReviewStateDocument,
    "\n  mutation UndoRuns($id: ID!) {\n    updateIdentityReview(id: $id, input: { undone: true }) { identityReview { id status } }\n  }\n": types.UndoRunsDocument,
    "\n  query Template($id: ID!) {\n    boardTemplate(id: $id) {\n      id\n      name\n      nameTemplate\n      repeatInterval\n      nextRunAt\n      isActive\n      isPublished\n      publicFields\n      boardType\n      keepStrategy\n      sortDirection\n      unit\n      lastError\n      retryAt\n      game { name slug }\n    }\n  }\n": types.TemplateDocument,
    "\n  mutation UpdateTemplate($id: ID!, $input: UpdateBoardTemplateInput!) {\n    updateBoardTemplate(id: $id, input: $input) { boardTemplate { id name } }\n  }\n": types.UpdateTemplateDocument,
    "\n  query TemplateList($gameId: ID!, $after: String) {\n    boardTemplates(gameId: $gameId, first: 50, after: $after) {\n      nodes { id name repeatInterval nextRunAt isActive boardsMade lastError }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n": types.TemplateListDocument,
    "\n  query Windows($id: ID, $input: PreviewBoardTemplateInput!) {\n    previewBoardTemplate(id: $id, input: $input) { name startsAt endsAt madeAt fault }\n  }\n": types.WindowsDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Board($code: String!) {\n    board(shortCode: $code) {\n      id\n      accountId\n      gameId\n      name\n      slug\n      shortCode\n      description\n      icon\n      unit\n      tags\n      state\n      isActive\n      isPublished\n      publicFields\n      boardType\n      keepStrategy\n      sortDirection\n      startsAt\n      endsAt\n      entryCount\n      templateName\n      createdAt\n      template { id name }\n      previousPeriod { id name shortCode state }\n      nextPeriod { id name shortCode state }\n      ratioConfig {\n        numeratorBoard { name }\n        denominatorBoard { name }\n        minNumerator\n        minDenominator\n        scale\n        decimals\n        display\n        zeroDenominatorPolicy\n      }\n      game { id name slug }\n    }\n  }\n"): (typeof documents)["\n  query Board($code: String!) {\n    board(shortCode: $code) {\n      id\n      accountId\n      gameId\n      name\n      slug\n      shortCode\n      description\n      icon\n      unit\n      tags\n      state\n      isActive\n      isPublished\n      publicFields\n      boardType\n      keepStrategy\n      sortDirection\n      startsAt\n      endsAt\n      entryCount\n      templateName\n      createdAt\n      template { id name }\n      previousPeriod { id name shortCode state }\n      nextPeriod { id name shortCode state }\n      ratioConfig {\n        numeratorBoard { name }\n        denominatorBoard { name }\n        minNumerator\n        minDenominator\n        scale\n        decimals\n        display\n        zeroDenominatorPolicy\n      }\n      game { id name slug }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateBoard($id: ID!, $input: UpdateBoardInput!) {\n    updateBoard(id: $id, input: $input) { board { id name shortCode } }\n  }\n"): (typeof documents)["\n  mutation UpdateBoard($id: ID!, $input: UpdateBoardInput!) {\n    updateBoard(id: $id, input: $input) { board { id name shortCode } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Restore($id: ID!) {\n    restore(id: $id) { node { id } }\n  }\n"): (typeof documents)["\n  mutation Restore($id: ID!) {\n    restore(id: $id) { node { id } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Me {\n    me {\n      superAdmin\n      accountId\n      account { id name }\n      user { id displayName email }\n      apiKey { id name expiresAt }\n    }\n  }\n"): (typeof documents)["\n  query Me {\n    me {\n      superAdmin\n      accountId\n      account { id name }\n      user { id displayName email }\n      apiKey { id name expiresAt }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Games($accountId: ID!) {\n    games(accountId: $accountId, first: 100, sort: \"name:asc\") {\n      nodes { id name slug }\n    }\n  }\n"): (typeof documents)["\n  query Games($accountId: ID!) {\n    games(accountId: $accountId, first: 100, sort: \"name:asc\") {\n      nodes { id name slug }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Pending($accountId: ID!) {\n    pendingFlags(accountId: $accountId) { count hasMore }\n  }\n"): (typeof documents)["\n  query Pending($accountId: ID!) {\n    pendingFlags(accountId: $accountId) { count hasMore }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Overview($accountId: ID!) {\n    boards(accountId: $accountId, isActive: true, first: 100) {\n      nodes { id state gameId }\n      pageInfo { hasNextPage }\n    }\n    oldest: scoreFlags(accountId: $accountId, status: PENDING, last: 1) { nodes { id createdAt } }\n    auditEntries(accountId: $accountId, first: 100) {\n      nodes { id action before after subjectId userId createdAt user { displayName } }\n    }\n  }\n"): (typeof documents)["\n  query Overview($accountId: ID!) {\n    boards(accountId: $accountId, isActive: true, first: 100) {\n      nodes { id state gameId }\n      pageInfo { hasNextPage }\n    }\n    oldest: scoreFlags(accountId: $accountId, status: PENDING, last: 1) { nodes { id createdAt } }\n    auditEntries(accountId: $accountId, first: 100) {\n      nodes { id action before after subjectId userId createdAt user { displayName } }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query LiveBoards($accountId: ID!) {\n    boards(accountId: $accountId, isActive: true, first: 30) {\n      nodes {\n        id\n        name\n        shortCode\n        unit\n        state\n        endsAt\n        entryCount\n        game { slug name }\n        activity(minutes: 30) { at count }\n        scores(first: 1) { nodes { id playerName value valueDisplay } }\n      }\n    }\n  }\n"): (typeof documents)["\n  query LiveBoards($accountId: ID!) {\n    boards(accountId: $accountId, isActive: true, first: 30) {\n      nodes {\n        id\n        name\n        shortCode\n        unit\n        state\n        endsAt\n        entryCount\n        game { slug name }\n        activity(minutes: 30) { at count }\n        scores(first: 1) { nodes { id playerName value valueDisplay } }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation StartSession($input: StartDeviceSessionInput!) {\n    startDeviceSession(input: $input) { session { accessToken identityId } }\n  }\n"): (typeof documents)["\n  mutation StartSession($input: StartDeviceSessionInput!) {\n    startDeviceSession(input: $input) { session { accessToken identityId } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Nonce {\n    nonce { nonceValue }\n  }\n"): (typeof documents)["\n  query Nonce {\n    nonce { nonceValue }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Submit($input: SubmitScoreInput!) {\n    submitScore(input: $input) { kept score { id rank identityId } }\n  }\n"): (typeof documents)["\n  mutation Submit($input: SubmitScoreInput!) {\n    submitScore(input: $input) { kept score { id rank identityId } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query BoardDistribution($boardId: ID!, $isTest: Boolean!) {\n    board(id: $boardId) {\n      id\n      distribution(isTest: $isTest) {\n        count\n        median\n        quantiles { share value }\n        bins { from to count }\n      }\n    }\n  }\n"): (typeof documents)["\n  query BoardDistribution($boardId: ID!, $isTest: Boolean!) {\n    board(id: $boardId) {\n      id\n      distribution(isTest: $isTest) {\n        count\n        median\n        quantiles { share value }\n        bins { from to count }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query AccountNames {\n    accounts(first: 100, sort: \"name:asc\") { nodes { id name } }\n  }\n"): (typeof documents)["\n  query AccountNames {\n    accounts(first: 100, sort: \"name:asc\") { nodes { id name } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ConsoleCode($email: String!) {\n    consoleCode(input: { email: $email }) { message codeExpiresIn }\n  }\n"): (typeof documents)["\n  mutation ConsoleCode($email: String!) {\n    consoleCode(input: { email: $email }) { message codeExpiresIn }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ConsoleSignIn($email: String!, $code: String!) {\n    consoleSignIn(input: { email: $email, code: $code }) { key apiKey { id } }\n  }\n"): (typeof documents)["\n  mutation ConsoleSignIn($email: String!, $code: String!) {\n    consoleSignIn(input: { email: $email, code: $code }) { key apiKey { id } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation EndKey($id: ID!) {\n    updateApiKey(id: $id, input: { status: REVOKED }) { apiKey { id status } }\n  }\n"): (typeof documents)["\n  mutation EndKey($id: ID!) {\n    updateApiKey(id: $id, input: { status: REVOKED }) { apiKey { id status } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Find($accountId: ID!, $code: String!, $coded: Boolean!, $gameId: ID!, $name: String!, $inGame: Boolean!) {\n    byCode: boards(accountId: $accountId, code: $code, first: 1) @include(if: $coded) {\n      nodes { id name shortCode game { slug name } }\n    }\n    boards(accountId: $accountId, first: 100, sort: \"created_at:desc\") {\n      nodes { id name shortCode game { slug name } }\n    }\n    findIdentities(gameId: $gameId, name: $name, first: 5) @include(if: $inGame) { id displayName }\n  }\n"): (typeof documents)["\n  query Find($accountId: ID!, $code: String!, $coded: Boolean!, $gameId: ID!, $name: String!, $inGame: Boolean!) {\n    byCode: boards(accountId: $accountId, code: $code, first: 1) @include(if: $coded) {\n      nodes { id name shortCode game { slug name } }\n    }\n    boards(accountId: $accountId, first: 100, sort: \"created_at:desc\") {\n      nodes { id name shortCode game { slug name } }\n    }\n    findIdentities(gameId: $gameId, name: $name, first: 5) @include(if: $inGame) { id displayName }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Audit($accountId: ID!, $action: AuditAction, $gameId: ID, $userId: ID, $subjectId: ID, $after: String) {\n    auditEntries(\n      accountId: $accountId\n      action: $action\n      gameId: $gameId\n      userId: $userId\n      subjectId: $subjectId\n      first: 50\n      after: $after\n    ) {\n      nodes { id action before after reason subjectId userId createdAt user { displayName } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query Audit($accountId: ID!, $action: AuditAction, $gameId: ID, $userId: ID, $subjectId: ID, $after: String) {\n    auditEntries(\n      accountId: $accountId\n      action: $action\n      gameId: $gameId\n      userId: $userId\n      subjectId: $subjectId\n      first: 50\n      after: $after\n    ) {\n      nodes { id action before after reason subjectId userId createdAt user { displayName } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query AuditUsers($accountId: ID!) {\n    users(accountId: $accountId, first: 100) { nodes { id displayName } }\n  }\n"): (typeof documents)["\n  query AuditUsers($accountId: ID!) {\n    users(accountId: $accountId, first: 100) { nodes { id displayName } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation BackToPending($id: ID!) {\n    reviewScoreFlag(id: $id, input: { status: PENDING }) { scoreFlag { id status } }\n  }\n"): (typeof documents)["\n  mutation BackToPending($id: ID!) {\n    reviewScoreFlag(id: $id, input: { status: PENDING }) { scoreFlag { id status } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Subjects($ids: [ID!]!) {\n    nodes(ids: $ids) {\n      __typename\n      id\n      ... on ScoreFlag { identity { id displayName game { slug } } }\n      ... on Identity { displayName game { slug } }\n      ... on IdentityReview { identity { id displayName game { slug } } device { platform } }\n      ... on Device { platform }\n      ... on User { displayName }\n      ... on Board { name }\n      ... on Game { name }\n      ... on BoardTemplate { name }\n      ... on ApiKey { name }\n      ... on Account { name }\n    }\n  }\n"): (typeof documents)["\n  query Subjects($ids: [ID!]!) {\n    nodes(ids: $ids) {\n      __typename\n      id\n      ... on ScoreFlag { identity { id displayName game { slug } } }\n      ... on Identity { displayName game { slug } }\n      ... on IdentityReview { identity { id displayName game { slug } } device { platform } }\n      ... on Device { platform }\n      ... on User { displayName }\n      ... on Board { name }\n      ... on Game { name }\n      ... on BoardTemplate { name }\n      ... on ApiKey { name }\n      ... on Account { name }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FlagList($boardId: ID, $identityId: ID, $after: String) {\n    scoreFlags(boardId: $boardId, identityId: $identityId, first: 50, after: $after) {\n      nodes {\n        id\n        flagType\n        status\n        explanation\n        createdAt\n        board { name unit }\n        identity { displayName }\n        event { eventPayload }\n        reviewer { displayName }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query FlagList($boardId: ID, $identityId: ID, $after: String) {\n    scoreFlags(boardId: $boardId, identityId: $identityId, first: 50, after: $after) {\n      nodes {\n        id\n        flagType\n        status\n        explanation\n        createdAt\n        board { name unit }\n        identity { displayName }\n        event { eventPayload }\n        reviewer { displayName }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query RunList($boardId: ID!, $isTest: TestFilter, $after: String) {\n    scoreEvents(boardId: $boardId, isTest: $isTest, first: 50, after: $after) {\n      nodes {\n        id\n        identityId\n        eventPayload\n        createdAt\n        isTest\n        country\n        identity { displayName }\n        flags { id status }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query RunList($boardId: ID!, $isTest: TestFilter, $after: String) {\n    scoreEvents(boardId: $boardId, isTest: $isTest, first: 50, after: $after) {\n      nodes {\n        id\n        identityId\n        eventPayload\n        createdAt\n        isTest\n        country\n        identity { displayName }\n        flags { id status }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation RaiseFlag($input: CreateScoreFlagInput!) {\n    createScoreFlag(input: $input) { scoreFlag { id } }\n  }\n"): (typeof documents)["\n  mutation RaiseFlag($input: CreateScoreFlagInput!) {\n    createScoreFlag(input: $input) { scoreFlag { id } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription BoardMoves($boardId: ID!) {\n    boardChanged(boardId: $boardId, first: 25) {\n      id\n      version\n      entryCount\n      scores { nodes { id rank identityId playerName value valueDisplay status updatedAt } }\n    }\n  }\n"): (typeof documents)["\n  subscription BoardMoves($boardId: ID!) {\n    boardChanged(boardId: $boardId, first: 25) {\n      id\n      version\n      entryCount\n      scores { nodes { id rank identityId playerName value valueDisplay status updatedAt } }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Places($accountId: ID!, $boardId: ID!, $from: SafeInt!) {\n    scores(accountId: $accountId, boardId: $boardId, startRank: $from, first: 25) {\n      nodes { id rank identityId playerName value valueDisplay status updatedAt }\n      pageInfo { hasNextPage }\n    }\n  }\n"): (typeof documents)["\n  query Places($accountId: ID!, $boardId: ID!, $from: SafeInt!) {\n    scores(accountId: $accountId, boardId: $boardId, startRank: $from, first: 25) {\n      nodes { id rank identityId playerName value valueDisplay status updatedAt }\n      pageInfo { hasNextPage }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query BoardAround($boardId: ID!) {\n    pendingFlags(boardId: $boardId) { count hasMore }\n    board(id: $boardId) { id activity(minutes: 30) { at count } }\n    scoreEvents(boardId: $boardId, first: 8) {\n      nodes { id identityId eventPayload createdAt identity { displayName } }\n    }\n  }\n"): (typeof documents)["\n  query BoardAround($boardId: ID!) {\n    pendingFlags(boardId: $boardId) { count hasMore }\n    board(id: $boardId) { id activity(minutes: 30) { at count } }\n    scoreEvents(boardId: $boardId, first: 8) {\n      nodes { id identityId eventPayload createdAt identity { displayName } }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query OtherPlayers($gameId: ID!, $name: String!) {\n    findIdentities(gameId: $gameId, name: $name, first: 10) { id displayName }\n  }\n"): (typeof documents)["\n  query OtherPlayers($gameId: ID!, $name: String!) {\n    findIdentities(gameId: $gameId, name: $name, first: 10) { id displayName }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PlayerPanel($accountId: ID!, $boardId: ID!, $identityId: ID!) {\n    identity(id: $identityId) {\n      id\n      displayName\n      flags(first: 20, status: PENDING) { nodes { id boardId } }\n    }\n    scores(accountId: $accountId, boardId: $boardId, identityId: $identityId, first: 1) {\n      nodes { id rank value valueDisplay percentile updatedAt }\n    }\n    scoreEvents(boardId: $boardId, identityId: $identityId, isTest: false, first: 60) {\n      nodes { id eventPayload createdAt }\n    }\n  }\n"): (typeof documents)["\n  query PlayerPanel($accountId: ID!, $boardId: ID!, $identityId: ID!) {\n    identity(id: $identityId) {\n      id\n      displayName\n      flags(first: 20, status: PENDING) { nodes { id boardId } }\n    }\n    scores(accountId: $accountId, boardId: $boardId, identityId: $identityId, first: 1) {\n      nodes { id rank value valueDisplay percentile updatedAt }\n    }\n    scoreEvents(boardId: $boardId, identityId: $identityId, isTest: false, first: 60) {\n      nodes { id eventPayload createdAt }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Series($id: ID!, $after: String) {\n    boardTemplate(id: $id) {\n      id\n      boards(first: 50, after: $after) {\n        nodes { id name shortCode state entryCount scores(first: 1) { nodes { id playerName } } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n"): (typeof documents)["\n  query Series($id: ID!, $after: String) {\n    boardTemplate(id: $id) {\n      id\n      boards(first: 50, after: $after) {\n        nodes { id name shortCode state entryCount scores(first: 1) { nodes { id playerName } } }\n        pageInfo { hasNextPage endCursor }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PreviewRules($id: ID!, $input: PreviewBoardChangeInput!) {\n    previewBoardChange(id: $id, input: $input) {\n      entriesNow\n      entriesAfter\n      moved\n      podium {\n        rank\n        moves\n        now { playerName value valueDisplay }\n        after { playerName value valueDisplay }\n      }\n    }\n  }\n"): (typeof documents)["\n  query PreviewRules($id: ID!, $input: PreviewBoardChangeInput!) {\n    previewBoardChange(id: $id, input: $input) {\n      entriesNow\n      entriesAfter\n      moved\n      podium {\n        rank\n        moves\n        now { playerName value valueDisplay }\n        after { playerName value valueDisplay }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Boards($slug: String!, $after: String) {\n    boards(gameSlug: $slug, first: 100, after: $after) {\n      nodes {\n        id\n        name\n        shortCode\n        state\n        isPublished\n        boardType\n        keepStrategy\n        sortDirection\n        startsAt\n        endsAt\n        entryCount\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query Boards($slug: String!, $after: String) {\n    boards(gameSlug: $slug, first: 100, after: $after) {\n      nodes {\n        id\n        name\n        shortCode\n        state\n        isPublished\n        boardType\n        keepStrategy\n        sortDirection\n        startsAt\n        endsAt\n        entryCount\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FormGame($slug: String!) {\n    game(slug: $slug) { id accountId name slug }\n    boards(gameSlug: $slug, first: 100, sort: \"name:asc\") { nodes { id name boardType } }\n  }\n"): (typeof documents)["\n  query FormGame($slug: String!) {\n    game(slug: $slug) { id accountId name slug }\n    boards(gameSlug: $slug, first: 100, sort: \"name:asc\") { nodes { id name boardType } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateBoard($input: CreateBoardInput!) {\n    createBoard(input: $input) { board { id name shortCode } }\n  }\n"): (typeof documents)["\n  mutation CreateBoard($input: CreateBoardInput!) {\n    createBoard(input: $input) { board { id name shortCode } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateTemplate($input: CreateBoardTemplateInput!) {\n    createBoardTemplate(input: $input) { boardTemplate { id name } }\n  }\n"): (typeof documents)["\n  mutation CreateTemplate($input: CreateBoardTemplateInput!) {\n    createBoardTemplate(input: $input) { boardTemplate { id name } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DeletedBoards($accountId: ID!, $after: String) {\n    boards(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id name game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query DeletedBoards($accountId: ID!, $after: String) {\n    boards(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id name game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DeletedGames($accountId: ID!, $after: String) {\n    games(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id name }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query DeletedGames($accountId: ID!, $after: String) {\n    games(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id name }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DeletedTemplates($accountId: ID!, $after: String) {\n    boardTemplates(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id name game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query DeletedTemplates($accountId: ID!, $after: String) {\n    boardTemplates(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id name game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DeletedPlayers($accountId: ID!, $after: String) {\n    identities(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id displayName externalKey game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query DeletedPlayers($accountId: ID!, $after: String) {\n    identities(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id displayName externalKey game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DeletedDevices($accountId: ID!, $after: String) {\n    devices(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id platform identity { displayName } game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query DeletedDevices($accountId: ID!, $after: String) {\n    devices(accountId: $accountId, deleted: true, first: 50, after: $after) {\n      nodes { id platform identity { displayName } game { name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Deletions($accountId: ID!) {\n    auditEntries(accountId: $accountId, action: RECORD_DELETED, first: 100) {\n      nodes { id subjectId createdAt userId user { displayName } }\n    }\n  }\n"): (typeof documents)["\n  query Deletions($accountId: ID!) {\n    auditEntries(accountId: $accountId, action: RECORD_DELETED, first: 100) {\n      nodes { id subjectId createdAt userId user { displayName } }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FairPlayEffect($gameId: ID!, $settings: JSONObject) {\n    previewFairPlay(gameId: $gameId, settings: $settings) {\n      submissions\n      since\n      confirmedCheats\n      falsePositives\n      now { flagged rejected players confirmedCheats falsePositives checks { flagType count } }\n      after { flagged rejected players confirmedCheats falsePositives checks { flagType count } }\n      found { scoreEventId rejects explanation event { identityId createdAt identity { displayName } } }\n      lost { scoreEventId rejects explanation event { identityId createdAt identity { displayName } } }\n    }\n  }\n"): (typeof documents)["\n  query FairPlayEffect($gameId: ID!, $settings: JSONObject) {\n    previewFairPlay(gameId: $gameId, settings: $settings) {\n      submissions\n      since\n      confirmedCheats\n      falsePositives\n      now { flagged rejected players confirmedCheats falsePositives checks { flagType count } }\n      after { flagged rejected players confirmedCheats falsePositives checks { flagType count } }\n      found { scoreEventId rejects explanation event { identityId createdAt identity { displayName } } }\n      lost { scoreEventId rejects explanation event { identityId createdAt identity { displayName } } }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FairPlayGame($slug: String!) {\n    game(slug: $slug) { id name antiCheatEnabled antiCheatSettings }\n  }\n"): (typeof documents)["\n  query FairPlayGame($slug: String!) {\n    game(slug: $slug) { id name antiCheatEnabled antiCheatSettings }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation FirstBoard($input: CreateBoardInput!) {\n    createBoard(input: $input) { board { id name shortCode } }\n  }\n"): (typeof documents)["\n  mutation FirstBoard($input: CreateBoardInput!) {\n    createBoard(input: $input) { board { id name shortCode } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query GameForm($slug: String!) {\n    game(slug: $slug) { id name slug description pageUrl accentColour logoUrl coverUrl platformAppId tags defaultBoardId }\n    boards(gameSlug: $slug, first: 100, sort: \"name:asc\") { nodes { id name } }\n  }\n"): (typeof documents)["\n  query GameForm($slug: String!) {\n    game(slug: $slug) { id name slug description pageUrl accentColour logoUrl coverUrl platformAppId tags defaultBoardId }\n    boards(gameSlug: $slug, first: 100, sort: \"name:asc\") { nodes { id name } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query GameList($accountId: ID!, $after: String) {\n    games(accountId: $accountId, first: 50, after: $after, sort: \"name:asc\") {\n      nodes { id name slug antiCheatEnabled createdAt defaultBoard { id name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query GameList($accountId: ID!, $after: String) {\n    games(accountId: $accountId, first: 50, after: $after, sort: \"name:asc\") {\n      nodes { id name slug antiCheatEnabled createdAt defaultBoard { id name } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateGame($input: CreateGameInput!) {\n    createGame(input: $input) { game { id name slug } }\n  }\n"): (typeof documents)["\n  mutation CreateGame($input: CreateGameInput!) {\n    createGame(input: $input) { game { id name slug } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateGame($id: ID!, $input: UpdateGameInput!) {\n    updateGame(id: $id, input: $input) { game { id name slug } }\n  }\n"): (typeof documents)["\n  mutation UpdateGame($id: ID!, $input: UpdateGameInput!) {\n    updateGame(id: $id, input: $input) { game { id name slug } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query AccountList($after: String) {\n    accounts(first: 50, after: $after) {\n      nodes { id name slug status createdAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query AccountList($after: String) {\n    accounts(first: 50, after: $after) {\n      nodes { id name slug status createdAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateAccount($input: CreateAccountInput!) {\n    createAccount(input: $input) { account { id name } }\n  }\n"): (typeof documents)["\n  mutation CreateAccount($input: CreateAccountInput!) {\n    createAccount(input: $input) { account { id name } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateAccount($id: ID!, $input: UpdateAccountInput!) {\n    updateAccount(id: $id, input: $input) { account { id status } }\n  }\n"): (typeof documents)["\n  mutation UpdateAccount($id: ID!, $input: UpdateAccountInput!) {\n    updateAccount(id: $id, input: $input) { account { id status } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query JamCodeList($after: String) {\n    jamCodes(first: 50, after: $after) {\n      nodes { id code description active expiresAt maxUses currentUses lastRedeemedAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query JamCodeList($after: String) {\n    jamCodes(first: 50, after: $after) {\n      nodes { id code description active expiresAt maxUses currentUses lastRedeemedAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateJamCode($input: CreateJamCodeInput!) {\n    createJamCode(input: $input) { jamCode { id code } }\n  }\n"): (typeof documents)["\n  mutation CreateJamCode($input: CreateJamCodeInput!) {\n    createJamCode(input: $input) { jamCode { id code } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateJamCode($id: ID!, $input: UpdateJamCodeInput!) {\n    updateJamCode(id: $id, input: $input) { jamCode { id active } }\n  }\n"): (typeof documents)["\n  mutation UpdateJamCode($id: ID!, $input: UpdateJamCodeInput!) {\n    updateJamCode(id: $id, input: $input) { jamCode { id active } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Jobs {\n    jobs {\n      name\n      description\n      runs\n      failures\n      lastError\n      lastFailedAt\n      lastFinishedAt\n      lastDone\n      nextRunAt\n    }\n  }\n"): (typeof documents)["\n  query Jobs {\n    jobs {\n      name\n      description\n      runs\n      failures\n      lastError\n      lastFailedAt\n      lastFinishedAt\n      lastDone\n      nextRunAt\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ComingUp($accountId: ID!, $now: DateTime!) {\n    boards(accountId: $accountId, startsAfter: $now, first: 20) {\n      nodes { id name shortCode startsAt game { slug } template { name repeatInterval } }\n    }\n    boardTemplates(accountId: $accountId, isActive: true, first: 20) {\n      nodes { id name repeatInterval nextRunAt game { slug } }\n    }\n  }\n"): (typeof documents)["\n  query ComingUp($accountId: ID!, $now: DateTime!) {\n    boards(accountId: $accountId, startsAfter: $now, first: 20) {\n      nodes { id name shortCode startsAt game { slug } template { name repeatInterval } }\n    }\n    boardTemplates(accountId: $accountId, isActive: true, first: 20) {\n      nodes { id name repeatInterval nextRunAt game { slug } }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Service {\n    jobs { name lastError lastFailedAt lastFinishedAt }\n  }\n"): (typeof documents)["\n  query Service {\n    jobs { name lastError lastFailedAt lastFinishedAt }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query KeyList($accountId: ID!, $after: String) {\n    apiKeys(accountId: $accountId, first: 50, after: $after) {\n      nodes { id name prefix status expiresAt lastUsedAt createdAt user { displayName } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query KeyList($accountId: ID!, $after: String) {\n    apiKeys(accountId: $accountId, first: 50, after: $after) {\n      nodes { id name prefix status expiresAt lastUsedAt createdAt user { displayName } }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query KeyUsers($accountId: ID!) {\n    users(accountId: $accountId, first: 100) { nodes { id displayName status } }\n  }\n"): (typeof documents)["\n  query KeyUsers($accountId: ID!) {\n    users(accountId: $accountId, first: 100) { nodes { id displayName status } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation CreateKey($input: CreateApiKeyInput!) {\n    createApiKey(input: $input) { apiKey { id name key } }\n  }\n"): (typeof documents)["\n  mutation CreateKey($input: CreateApiKeyInput!) {\n    createApiKey(input: $input) { apiKey { id name key } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateKey($id: ID!, $input: UpdateApiKeyInput!) {\n    updateApiKey(id: $id, input: $input) { apiKey { id status } }\n  }\n"): (typeof documents)["\n  mutation UpdateKey($id: ID!, $input: UpdateApiKeyInput!) {\n    updateApiKey(id: $id, input: $input) { apiKey { id status } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query UserList($accountId: ID!, $after: String) {\n    users(accountId: $accountId, first: 50, after: $after) {\n      nodes { id displayName email emailVerifiedAt status superAdmin }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query UserList($accountId: ID!, $after: String) {\n    users(accountId: $accountId, first: 50, after: $after) {\n      nodes { id displayName email emailVerifiedAt status superAdmin }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Invite($input: InviteUserInput!) {\n    inviteUser(input: $input) { user { id } }\n  }\n"): (typeof documents)["\n  mutation Invite($input: InviteUserInput!) {\n    inviteUser(input: $input) { user { id } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateUser($id: ID!, $input: UpdateUserInput!) {\n    updateUser(id: $id, input: $input) { user { id status } }\n  }\n"): (typeof documents)["\n  mutation UpdateUser($id: ID!, $input: UpdateUserInput!) {\n    updateUser(id: $id, input: $input) { user { id status } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Player($id: ID!) {\n    identity(id: $id) {\n      id\n      displayName\n      kind\n      externalKey\n      trustTier\n      trustTierReason\n      createdAt\n      gameId\n      game { id name slug }\n      devices(first: 20) { nodes { id platform status firstSeenAt lastSeenAt } }\n      scores(first: 30) {\n        nodes {\n          id\n          rank\n          value\n          valueDisplay\n          percentile\n          updatedAt\n          status\n          board { id name shortCode unit sortDirection }\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query Player($id: ID!) {\n    identity(id: $id) {\n      id\n      displayName\n      kind\n      externalKey\n      trustTier\n      trustTierReason\n      createdAt\n      gameId\n      game { id name slug }\n      devices(first: 20) { nodes { id platform status firstSeenAt lastSeenAt } }\n      scores(first: 30) {\n        nodes {\n          id\n          rank\n          value\n          valueDisplay\n          percentile\n          updatedAt\n          status\n          board { id name shortCode unit sortDirection }\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PlayerRuns($boardId: ID!, $identityId: ID!) {\n    scoreEvents(boardId: $boardId, identityId: $identityId, first: 100) {\n      nodes { id eventPayload createdAt isTest }\n    }\n  }\n"): (typeof documents)["\n  query PlayerRuns($boardId: ID!, $identityId: ID!) {\n    scoreEvents(boardId: $boardId, identityId: $identityId, first: 100) {\n      nodes { id eventPayload createdAt isTest }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdatePlayer($id: ID!, $input: UpdateIdentityInput!) {\n    updateIdentity(id: $id, input: $input) { identity { id displayName trustTier trustTierReason } }\n  }\n"): (typeof documents)["\n  mutation UpdatePlayer($id: ID!, $input: UpdateIdentityInput!) {\n    updateIdentity(id: $id, input: $input) { identity { id displayName trustTier trustTierReason } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateDevice($id: ID!, $input: UpdateDeviceInput!) {\n    updateDevice(id: $id, input: $input) { device { id status } }\n  }\n"): (typeof documents)["\n  mutation UpdateDevice($id: ID!, $input: UpdateDeviceInput!) {\n    updateDevice(id: $id, input: $input) { device { id status } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Sessions($deviceId: ID!) {\n    deviceSessions(deviceId: $deviceId, first: 10) {\n      nodes { id status ipAddress userAgent createdAt refreshExpiresAt }\n    }\n  }\n"): (typeof documents)["\n  query Sessions($deviceId: ID!) {\n    deviceSessions(deviceId: $deviceId, first: 10) {\n      nodes { id status ipAddress userAgent createdAt refreshExpiresAt }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateSession($id: ID!, $input: UpdateDeviceSessionInput!) {\n    updateDeviceSession(id: $id, input: $input) { deviceSession { id status } }\n  }\n"): (typeof documents)["\n  mutation UpdateSession($id: ID!, $input: UpdateDeviceSessionInput!) {\n    updateDeviceSession(id: $id, input: $input) { deviceSession { id status } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Trail($subjectId: ID!) {\n    auditEntries(subjectId: $subjectId, first: 20) {\n      nodes { id action before after subjectId userId createdAt user { displayName } }\n    }\n  }\n"): (typeof documents)["\n  query Trail($subjectId: ID!) {\n    auditEntries(subjectId: $subjectId, first: 20) {\n      nodes { id action before after subjectId userId createdAt user { displayName } }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query PlayersGame($slug: String!) {\n    game(slug: $slug) { id name }\n  }\n"): (typeof documents)["\n  query PlayersGame($slug: String!) {\n    game(slug: $slug) { id name }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FindPlayers($gameId: ID!, $name: String!) {\n    findIdentities(gameId: $gameId, name: $name, first: 50) { id displayName kind trustTier createdAt }\n  }\n"): (typeof documents)["\n  query FindPlayers($gameId: ID!, $name: String!) {\n    findIdentities(gameId: $gameId, name: $name, first: 50) { id displayName kind trustTier createdAt }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Players($gameId: ID!, $after: String) {\n    identities(gameId: $gameId, first: 100, after: $after) {\n      nodes { id displayName kind trustTier createdAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query Players($gameId: ID!, $after: String) {\n    identities(gameId: $gameId, first: 100, after: $after) {\n      nodes { id displayName kind trustTier createdAt }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query FlagEffect($id: ID!) {\n    previewScoreFlagReview(id: $id, status: CONFIRMED_CHEAT) { before { rank } after { rank } othersMoved }\n  }\n"): (typeof documents)["\n  query FlagEffect($id: ID!) {\n    previewScoreFlagReview(id: $id, status: CONFIRMED_CHEAT) { before { rank } after { rank } othersMoved }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Flags($accountId: ID!, $gameId: ID, $boardId: ID, $flagType: FlagType, $first: Int!, $after: String) {\n    scoreFlags(\n      accountId: $accountId\n      gameId: $gameId\n      boardId: $boardId\n      flagType: $flagType\n      status: PENDING\n      first: $first\n      after: $after\n    ) {\n      nodes {\n        id\n        flagType\n        confidence\n        status\n        createdAt\n        boardId\n        gameId\n        identityId\n        board { name unit }\n        identity { displayName }\n        event { eventPayload }\n        reviewer { displayName }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query Flags($accountId: ID!, $gameId: ID, $boardId: ID, $flagType: FlagType, $first: Int!, $after: String) {\n    scoreFlags(\n      accountId: $accountId\n      gameId: $gameId\n      boardId: $boardId\n      flagType: $flagType\n      status: PENDING\n      first: $first\n      after: $after\n    ) {\n      nodes {\n        id\n        flagType\n        confidence\n        status\n        createdAt\n        boardId\n        gameId\n        identityId\n        board { name unit }\n        identity { displayName }\n        event { eventPayload }\n        reviewer { displayName }\n      }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query OneFlag($id: ID!) {\n    scoreFlag(id: $id) {\n      id\n      flagType\n      confidence\n      status\n      createdAt\n      boardId\n      gameId\n      identityId\n      board { name unit }\n      identity { displayName }\n      event { eventPayload }\n      reviewer { displayName }\n    }\n  }\n"): (typeof documents)["\n  query OneFlag($id: ID!) {\n    scoreFlag(id: $id) {\n      id\n      flagType\n      confidence\n      status\n      createdAt\n      boardId\n      gameId\n      identityId\n      board { name unit }\n      identity { displayName }\n      event { eventPayload }\n      reviewer { displayName }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription NewFlag($accountId: ID!, $gameId: ID, $after: ID) {\n    scoreFlagged(accountId: $accountId, gameId: $gameId, after: $after) {\n      id\n      flagType\n      confidence\n      status\n      createdAt\n      boardId\n      gameId\n      identityId\n      board { name unit }\n      identity { displayName }\n      event { eventPayload }\n      reviewer { displayName }\n    }\n  }\n"): (typeof documents)["\n  subscription NewFlag($accountId: ID!, $gameId: ID, $after: ID) {\n    scoreFlagged(accountId: $accountId, gameId: $gameId, after: $after) {\n      id\n      flagType\n      confidence\n      status\n      createdAt\n      boardId\n      gameId\n      identityId\n      board { name unit }\n      identity { displayName }\n      event { eventPayload }\n      reviewer { displayName }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription FlagReviewed($accountId: ID!, $gameId: ID, $after: String) {\n    scoreFlagReviewed(accountId: $accountId, gameId: $gameId, after: $after) {\n      cursor\n      id\n      scoreFlag { id status reviewedAt reviewerId reviewer { displayName } }\n    }\n  }\n"): (typeof documents)["\n  subscription FlagReviewed($accountId: ID!, $gameId: ID, $after: String) {\n    scoreFlagReviewed(accountId: $accountId, gameId: $gameId, after: $after) {\n      cursor\n      id\n      scoreFlag { id status reviewedAt reviewerId reviewer { displayName } }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Flag($accountId: ID!, $id: ID!, $boardId: ID!, $identityId: ID!) {\n    scoreFlag(id: $id) {\n      id\n      flagType\n      confidence\n      status\n      explanation\n      isTest\n      createdAt\n      reviewedAt\n      reviewerDecision\n      reviewer { displayName }\n      device { id platform status }\n      event { id eventPayload createdAt isTest }\n      comparedEvents { id eventPayload createdAt identityId identity { displayName } }\n      board { id name shortCode unit boardType sortDirection keepStrategy entryCount game { slug name } }\n      identity {\n        id\n        displayName\n        trustTier\n        createdAt\n        devices(first: 5) { nodes { id platform } pageInfo { hasNextPage } }\n        flags(first: 50) { nodes { id status boardId } pageInfo { hasNextPage } }\n      }\n    }\n    runs: scoreEvents(boardId: $boardId, identityId: $identityId, first: 60) {\n      nodes { id eventPayload createdAt isTest }\n      pageInfo { hasNextPage }\n    }\n    place: scores(accountId: $accountId, boardId: $boardId, identityId: $identityId, first: 1) {\n      nodes { id rank value valueDisplay scoreEventId }\n    }\n  }\n"): (typeof documents)["\n  query Flag($accountId: ID!, $id: ID!, $boardId: ID!, $identityId: ID!) {\n    scoreFlag(id: $id) {\n      id\n      flagType\n      confidence\n      status\n      explanation\n      isTest\n      createdAt\n      reviewedAt\n      reviewerDecision\n      reviewer { displayName }\n      device { id platform status }\n      event { id eventPayload createdAt isTest }\n      comparedEvents { id eventPayload createdAt identityId identity { displayName } }\n      board { id name shortCode unit boardType sortDirection keepStrategy entryCount game { slug name } }\n      identity {\n        id\n        displayName\n        trustTier\n        createdAt\n        devices(first: 5) { nodes { id platform } pageInfo { hasNextPage } }\n        flags(first: 50) { nodes { id status boardId } pageInfo { hasNextPage } }\n      }\n    }\n    runs: scoreEvents(boardId: $boardId, identityId: $identityId, first: 60) {\n      nodes { id eventPayload createdAt isTest }\n      pageInfo { hasNextPage }\n    }\n    place: scores(accountId: $accountId, boardId: $boardId, identityId: $identityId, first: 1) {\n      nodes { id rank value valueDisplay scoreEventId }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation Review($id: ID!, $status: FlagStatus!, $reason: String, $identityId: ID!) {\n    reviewScoreFlag(id: $id, input: { status: $status, reviewerDecision: $reason }) {\n      scoreFlag {\n        id\n        status\n        board { id scores(identityId: $identityId, first: 1) { nodes { id rank } } }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation Review($id: ID!, $status: FlagStatus!, $reason: String, $identityId: ID!) {\n    reviewScoreFlag(id: $id, input: { status: $status, reviewerDecision: $reason }) {\n      scoreFlag {\n        id\n        status\n        board { id scores(identityId: $identityId, first: 1) { nodes { id rank } } }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation ReviewRuns($input: ReviewIdentityInput!) {\n    reviewIdentity(input: $input) {\n      review { id status }\n      bannedDeviceIds\n      boards {\n        boardId\n        runs\n        moved\n        failure\n        board { name unit }\n        podium {\n          rank\n          moves\n          before { playerName value valueDisplay }\n          after { playerName value valueDisplay }\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation ReviewRuns($input: ReviewIdentityInput!) {\n    reviewIdentity(input: $input) {\n      review { id status }\n      bannedDeviceIds\n      boards {\n        boardId\n        runs\n        moved\n        failure\n        board { name unit }\n        podium {\n          rank\n          moves\n          before { playerName value valueDisplay }\n          after { playerName value valueDisplay }\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ReviewState($id: ID!) {\n    identityReview(id: $id) {\n      id\n      status\n      boards { boardId runs undone failure board { name } }\n    }\n  }\n"): (typeof documents)["\n  query ReviewState($id: ID!) {\n    identityReview(id: $id) {\n      id\n      status\n      boards { boardId runs undone failure board { name } }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UndoRuns($id: ID!) {\n    updateIdentityReview(id: $id, input: { undone: true }) { identityReview { id status } }\n  }\n"): (typeof documents)["\n  mutation UndoRuns($id: ID!) {\n    updateIdentityReview(id: $id, input: { undone: true }) { identityReview { id status } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Template($id: ID!) {\n    boardTemplate(id: $id) {\n      id\n      name\n      nameTemplate\n      repeatInterval\n      nextRunAt\n      isActive\n      isPublished\n      publicFields\n      boardType\n      keepStrategy\n      sortDirection\n      unit\n      lastError\n      retryAt\n      game { name slug }\n    }\n  }\n"): (typeof documents)["\n  query Template($id: ID!) {\n    boardTemplate(id: $id) {\n      id\n      name\n      nameTemplate\n      repeatInterval\n      nextRunAt\n      isActive\n      isPublished\n      publicFields\n      boardType\n      keepStrategy\n      sortDirection\n      unit\n      lastError\n      retryAt\n      game { name slug }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation UpdateTemplate($id: ID!, $input: UpdateBoardTemplateInput!) {\n    updateBoardTemplate(id: $id, input: $input) { boardTemplate { id name } }\n  }\n"): (typeof documents)["\n  mutation UpdateTemplate($id: ID!, $input: UpdateBoardTemplateInput!) {\n    updateBoardTemplate(id: $id, input: $input) { boardTemplate { id name } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query TemplateList($gameId: ID!, $after: String) {\n    boardTemplates(gameId: $gameId, first: 50, after: $after) {\n      nodes { id name repeatInterval nextRunAt isActive boardsMade lastError }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"): (typeof documents)["\n  query TemplateList($gameId: ID!, $after: String) {\n    boardTemplates(gameId: $gameId, first: 50, after: $after) {\n      nodes { id name repeatInterval nextRunAt isActive boardsMade lastError }\n      pageInfo { hasNextPage endCursor }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Windows($id: ID, $input: PreviewBoardTemplateInput!) {\n    previewBoardTemplate(id: $id, input: $input) { name startsAt endsAt madeAt fault }\n  }\n"): (typeof documents)["\n  query Windows($id: ID, $input: PreviewBoardTemplateInput!) {\n    previewBoardTemplate(id: $id, input: $input) { name startsAt endsAt madeAt fault }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;