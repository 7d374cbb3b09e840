/** Members that break a rule of test/contract/schema-rules.test.ts: each pattern has a reason and matches some. */
interface Exceptions {
  rule: string;
  members: RegExp;
  reason: string;
}

export const EXCEPTIONS: Exceptions[] = [
  {
    rule: 'alternatives are a `@oneOf` input',
    members: /^Query\.search$/,
    reason: 'They are no alternatives: one says where to search, the other whose players come first.',
  },
  {
    rule: 'a field that reads for itself is nullable',
    members:
      /^(Public)?Board\.phase$|^(Entry\.ranking|BoardTemplate\.(views|windowStartsAt)|Device\.clientFingerprint|DeviceSession\.status|ScoreImport\.lines)$/,
    reason: 'They are made of the record.',
  },
  {
    rule: 'a payload has the record under its noun',
    members:
      /\.((erase|review)Identity|(start|refresh)DeviceSession|submitScore|createScoreEvent|testPlayerProvider)$/,
    reason: 'What they make is no such record: a submission has the score and the event.',
  },
  {
    rule: 'a payload has the record under its noun',
    members: /\.unlinkDevice$/,
    reason: "A game client reads only its own device as a record, not its player's others.",
  },
  {
    rule: 'a list of records is a connection',
    members: /^AcknowledgeRewardsPayload\.rewards$/,
    reason: 'Those of the input, at most 100.',
  },
  {
    rule: 'a list of records is a connection',
    members: /^RehearseBoardPayload\.closings$/,
    reason: 'At most 100 of the board beside them, which has them as a connection.',
  },
  {
    rule: 'a list of records is a connection',
    members: /\.(findIdentities|comparedEvents|bannedDevices|flags|scoreFlags)$/,
    reason:
      'Bounded: at most 50 players, a few events, the devices of a player, and 100 flags, read for a whole page of runs together.',
  },
  {
    rule: 'a list has Relay’s arguments, one filter and one order',
    members: /\.(entries|periods|groups|series)$|^PublicGame\.boards$/,
    reason: 'Rankings and what is in their order: what chooses a page of them is no filter of records.',
  },
  {
    rule: 'an id has its record beside it',
    members: /^Public(Game|Board)\./,
    reason: 'Its own, in place of `id`: visitors have no records.',
  },
  {
    rule: 'an id has its record beside it',
    members: /^(RefreshDeviceSession|CompleteRegistration)Payload\./,
    reason: 'Who is answered has no credential for the record before the answer.',
  },
  {
    rule: 'an id has its record beside it',
    members: /^Verdict\.(scoreEventId|passId)$/,
    reason: 'Verdicts are read below their event, and passes below their board.',
  },
  {
    rule: 'there are four scalars of our own',
    members: /^ConfigurationJSON$/,
    reason: 'A file is larger than `JSONObject` may be, and its records are named by people.',
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
  {
    rule: 'a record has its id beside it',
    members: /^Submission\./,
    reason: 'What the submission made, not what it refers to.',
  },
  {
    rule: 'a record has its id beside it',
    members: /^Board\.(next|previous)Board$/,
    reason: 'Neighbours in a series are looked up.',
  },
  { rule: 'a record has its id beside it', members: /^Board\.ratioConfig$/, reason: 'A part of the board.' },
  {
    rule: 'a fact of a list is on its edge',
    members: /^HypotheticalEntry\.amongRank$/,
    reason: 'It is on no edge.',
  },
  {
    rule: 'a fact of a list is on its edge',
    members: /^(ScoreFlagChange|RaisedAlert)\.cursor$/,
    reason: 'A live message is no list: its cursor goes on after it.',
  },
  { rule: 'a default is in the schema', members: /\(first\)$/, reason: 'It depends on `last`.' },
  {
    rule: 'a default is in the schema',
    members: /\.(boardType|keepStrategy|keepPeriods|nameLocked|lastRank)$/,
    reason: 'They depend on the other fields.',
  },
  {
    rule: 'a default is in the schema',
    members:
      /\((after|isTest)\)$|\b(accountId|identityId)\)?$|CreateScoreEventInput\.playerName$|ReviewIdentityInput\.since$/,
    reason: 'The caller, the present moment or what is stored.',
  },
  {
    rule: 'a default is in the schema',
    members: /^(CreateIdentityInput\.displayName|CreateJamCodeInput\.features)$/,
    reason:
      'No name is given as null, since names have a letter; an object is no default of a scalar in SDL.',
  },
];

interface RestOnly {
  kind: string;
  members: RegExp;
}

/** The members that only REST has, by kind. */
export const REST_ONLY: RestOnly[] = [
  { kind: 'the order of a list as text', members: /^Query\.\w+\(sort\)$/ },
  {
    kind: 'a list below a record, as a list of its own',
    members: /^Query\.(boardStates|closings|friends|scoreImports|webhookDeliveries)$/,
  },
  {
    kind: 'the ends of a span of time',
    members: /^(BoardFilter\.(starts|ends)|AuditEntryFilter\.created)(After|Before)$/,
  },
  { kind: 'both populations, by name', members: /^ScoreEventFilter\.population$/ },
  { kind: 'the cursor that knows its direction', members: /^PageInfo\.backCursor$/ },
  { kind: 'the id of a change, which is in the path', members: /^Mutation\.\w+\((id|boardId)\)$/ },
  { kind: 'deletion by a change', members: /Input\.deleted$/ },
  { kind: 'alternatives that are a @oneOf input', members: /^ReviewIdentityInput\.(identityId|deviceId)$/ },
  { kind: 'an input that may be absent', members: /^Mutation\.createScoreImport\(settings\)$/ },
  {
    kind: 'other roots',
    members: /^Query\.(nonce|playerTags)$|^Mutation\.(updateIdentityReview|updatePlayerMerge)$/,
  },
  { kind: 'tags as an object', members: /Input\.tagValues$|^SubmissionRank\.where$/ },
  { kind: 'fair-play settings as an object', members: /\.antiCheatObject$/ },
  { kind: 'a secret on its record', members: /^(ApiKey\.key|WebhookEndpoint\.secret)$/ },
  {
    kind: 'bodies of another form',
    members:
      /^CompleteRegistrationPayload\.|^(Add|Set|Remove)FriendsPayload\.list$|\.playerTags$|^ScoreEvent\.eventPayload$|^SubmitScorePayload\.(score|standings|held|recording)$|^WantedRecording\.scoreEventId$|^CreateScoreEventPayload\.(scoreEvent|standings|held)$|^(SubmitScores|CreateScoreEvents)Payload\.items$|^BoardReview\.places$|\.bannedDeviceIds$/,
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
