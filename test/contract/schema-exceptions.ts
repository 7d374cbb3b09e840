/** Members that break a rule of test/contract/schema-rules.test.ts: each pattern has a reason and matches some. */
interface Exceptions {
  rule: string;
  members: RegExp;
  reason: string;
}

const LISTS = 'Lists get filter, orderBy and totalCount with their one table.';
const SUBMISSIONS = 'Submissions, batches, tags and nonces are a step of their own.';
const MUTATIONS = 'Mutations become verbNoun(input): VerbNounPayload.';

export const EXCEPTIONS: Exceptions[] = [
  {
    rule: 'a payload has the record under its noun',
    members: /\.((erase|review)Identity|(start|refresh)DeviceSession)$/,
    reason: 'What they make is no such record.',
  },
  { rule: 'a list of records is a connection', members: /\.flags$/, reason: LISTS },
  {
    rule: 'a list of records is a connection',
    members: /\.(findIdentities|comparedEvents|bannedDevices)$/,
    reason: 'Bounded: at most 50 players, a few events, the devices of a player.',
  },
  { rule: 'a connection has edges, nodes, pageInfo and totalCount', members: /./, reason: LISTS },
  { rule: 'a list has Relay’s arguments, one filter and one order', members: /./, reason: LISTS },
  {
    rule: 'an id has its record beside it',
    members: /^Public(Game|Board)\./,
    reason: 'Its own, in place of `id`: visitors have no records.',
  },
  {
    rule: 'an id has its record beside it',
    members: /^PodiumEntry\.scoreId$/,
    reason: 'Podiums are kept as they were.',
  },
  {
    rule: 'an id has its record beside it',
    members: /^(RankChange|Overtaken)\.boardId$/,
    reason: 'A live message repeats what was subscribed to.',
  },
  {
    rule: 'an id has its record beside it',
    members: /^IdentityErasure\./,
    reason: 'The player is erased.',
  },
  {
    rule: 'an id has its record beside it',
    members: /^ClientSession\./,
    reason: 'Who starts a session may read nothing yet; `me` has its records.',
  },
  { rule: 'an id has its record beside it', members: /^PlayerTags\./, reason: SUBMISSIONS },
  {
    rule: 'a record has its id beside it',
    members: /^Board\.(next|previous)Board$/,
    reason: 'Neighbours in a series are looked up.',
  },
  { rule: 'a record has its id beside it', members: /^Board\.ratioConfig$/, reason: 'A part of the board.' },
  { rule: 'a record has its id beside it', members: /^ItemResult\./, reason: SUBMISSIONS },
  {
    rule: 'a fact of a list is on its edge',
    members: /^HypotheticalEntry\.amongRank$/,
    reason: 'It is on no edge.',
  },
  {
    rule: 'a fact of a list is on its edge',
    members: /^ScoreFlagChange\.cursor$/,
    reason: 'A live message is no list: its cursor goes on after it.',
  },
  { rule: 'alternatives are a `@oneOf` input', members: /\.pendingFlags$/, reason: LISTS },
  { rule: 'a default is in the schema', members: /\(first\)$/, reason: 'It depends on `last`.' },
  { rule: 'a default is in the schema', members: /\(sort\)$/, reason: LISTS },
  {
    rule: 'a default is in the schema',
    members: /\.(boardType|keepStrategy)$|keepPeriods$/,
    reason: 'They depend on the other rules of the board or view.',
  },
  {
    rule: 'a default is in the schema',
    members:
      /\((after|isTest)\)$|\b(accountId|identityId)\)?$|CreateScoreEventInput\.playerName$|ReviewIdentityInput\.since$/,
    reason: 'The caller, the present moment or what is stored.',
  },
  { rule: 'a default is in the schema', members: /Input\./, reason: MUTATIONS },
  { rule: 'JSON is the caller’s own', members: /tags$|where$|eventPayload$/, reason: SUBMISSIONS },
  { rule: 'JSON is the caller’s own', members: /antiCheatSettings$|\.settings$/, reason: SUBMISSIONS },
  { rule: 'there are four scalars of our own', members: /^TestFilter$/, reason: LISTS },
  { rule: 'there are four scalars of our own', members: /^ViewNames$/, reason: SUBMISSIONS },
  {
    rule: 'ranks and counts are Int',
    members: /^Submi|^CreateScoreEventPayload|^ItemResult/,
    reason: SUBMISSIONS,
  },
  { rule: 'errors have one channel', members: /^ItemResult\.error$/, reason: SUBMISSIONS },
  { rule: 'the codes of errors are an enum', members: /./, reason: SUBMISSIONS },
  { rule: 'a thing has one name', members: /^Submi|^ItemResult/, reason: SUBMISSIONS },
];

interface RestOnly {
  kind: string;
  members: RegExp;
}

/** The members that only REST has, by kind. */
export const REST_ONLY: RestOnly[] = [
  { kind: 'the id of a change, which is in the path', members: /^Mutation\.\w+\((id|boardId)\)$/ },
  { kind: 'deletion by a change', members: /Input\.deleted$/ },
  { kind: 'alternatives that are a @oneOf input', members: /^ReviewIdentityInput\.(identityId|deviceId)$/ },
  { kind: 'an input that may be absent', members: /^Mutation\.createScoreImport\(settings\)$/ },
  { kind: 'other roots', members: /^Query\.nonce$|^Mutation\.updateIdentityReview$/ },
  { kind: 'a secret on its record', members: /^ApiKey\.key$/ },
  {
    kind: 'bodies of another form',
    members:
      /^CompleteRegistrationPayload\.|^(Add|Set|Remove)FriendsPayload\.list$|^BoardReview\.places$|\.playerTags$|\.bannedDeviceIds$/,
  },
  {
    kind: 'rows of a ranking, and what chooses them',
    members: /^(Query\.scores|Subscription\.watchBoard|Board\.(standings?|periods|groups))$/,
  },
  {
    kind: 'members of a row',
    members:
      /^(EntryConnection\.(scores|rows)|Entry\.(view|key|where|boardId|amongRank|total|isPlaceholder)|Score\.(amongRank|isPlaceholder)|BoardGroup\.where|BoardChange\.(view|key|entryCount|window))$/,
  },
];
