import type { FileOptions } from '../../src/imports/read.js';
import { columns, reads, reason } from '../support/read-file.js';

const RUNS = '"runs":[{"player":"a","value":1},{"player":"b","value":2}]';
test.each<[page: string, last: string]>([
  ['"total":3', '"total":2'],
  ['"pagination":{"total":3}', '"pagination":{"total":2}'],
  ['"meta":{"pagination":{"total_count":"3"}}', '"meta":{"pagination":{"total_count":"2"}}'],
  ['"meta":{"totalResults":5,"page":1}', '"meta":{"totalResults":5,"page":3,"perPage":2}'],
  ['"numScores":"9"', '"numScores":"2","nextReset":"2026-12-01T00:00:00Z"'],
  ['"total":{"value":9}', '"total":{"value":2}'],
  ['"limit":2,"offset":0,"total":4', '"limit":2,"offset":2,"total":4'],
  [
    '"count":4,"next":"https://a.example/?page=2","previous":null',
    '"count":4,"next":null,"previous":"https://a.example/"',
  ],
  ['"count":4,"next":null,"previous":null', '"count":2,"next":null,"previous":null'],
  ['"nextPageToken":"abc"', '"nextPageToken":""'],
  ['"next_cursor":2', '"next_cursor":0'],
  ['"@odata.nextLink":"https://a.example"', '"@odata.count":2'],
  ['"response_metadata":{"next_cursor":"x"}', '"response_metadata":{"next_cursor":""}'],
  ['"links":{"self":"/1","next":"/2"}', '"links":{"self":"/2","next":null}'],
  ['"_links":{"next":{"href":"/2"}}', '"_links":{"self":{"href":"/2"}}'],
  ['"links":[{"rel":"self","href":"/1"},{"rel":"next","href":"/2"}]', '"links":[{"rel":"self","href":"/2"}]'],
  ['"has_more":true', '"has_more":false'],
  ['"paging":{"hasMore":"true"}', '"paging":{"hasMore":"false"}'],
  [
    '"pageInfo":{"hasNextPage":true}',
    '"pageInfo":{"hasNextPage":false,"hasPreviousPage":true},"totalCount":9',
  ],
  ['"is_truncated":true', '"is_truncated":false'],
  ['"isLastPage":false,"count":2', '"isLastPage":true,"count":2'],
  ['"page":1,"total_pages":3', '"page":3,"total_pages":3'],
  ['"pages":3', '"pages":1'],
  ['"page":0,"pages":2', '"page":0,"pages":1'],
  ['"current_page":1,"last_page":2,"total":3', '"current_page":2,"last_page":2,"total":4'],
  ['"number":0,"totalPages":2,"last":false', '"number":1,"totalPages":2,"last":true,"totalElements":4'],
])('JSON with %s is one page of several, with %s it is not', async (page, last) => {
  for (const around of [
    (words: string) => `{${words},\n${RUNS}}`,
    (words: string) => `{"data":{${RUNS}},\n${words}}`,
  ]) {
    expect(await reason(around(page))).toMatch(/^the file is incomplete: it .*"@?\w.*--partial/);
    expect((await reads(around(page), { partial: true })).rows).toHaveLength(2);
    expect((await reads(around(last))).rows).toHaveLength(2);
  }
});

test('what is not about pages makes no file incomplete', async () => {
  const words =
    '"next_season_at":1,"NextReset":"x","nextReset":5,"game":{"total":99,"next":"b"},"total_points":99';
  expect((await reads(`{${words},\n${RUNS}}`)).rows).toHaveLength(2);
});

/** Answers of other services, as their documents show them. */
const PLAYFAB =
  '{"code":200,"status":"OK","data":{"Leaderboard":[{"PlayFabId":"4A0E","DisplayName":"Ann","StatValue":5,"Position":0,"Profile":{"PublisherId":"B","TitleId":"1","PlayerId":"4A0E","DisplayName":"Ann"}}],"Version":3,"NextReset":"2026-12-01T00:00:00Z"}}';
const LOOTLOCKER =
  '{"items":[{"member_id":"77","rank":1,"score":5,"player":{"id":77,"public_uid":"XY1","name":"Ann","player_type":"steam","ulid":"01H"},"metadata":""}],"pagination":{"total":1,"next_cursor":null,"previous_cursor":null}}';
const UNITY =
  '{"limit":10,"offset":0,"total":1,"results":[{"playerId":"Lx1","playerName":"Ann#1","rank":0,"score":5.0,"updatedTime":"2026-01-01T00:00:00Z"}]}';
const PLAY_GAMES =
  '{"kind":"games#leaderboardScores","numScores":"1","items":[{"player":{"playerId":"g1","displayName":"Ann"},"scoreRank":"1","scoreValue":"5"}]}';
const TALO =
  '{"entries":[{"id":4,"score":5,"playerAlias":{"id":9,"service":"steam","identifier":"765","player":{"id":"u1"}}}],"count":1,"isLastPage":true}';
test.each<[string, string, string, Partial<FileOptions>]>([
  ['PlayFab', PLAYFAB, 'external_key ← PlayFabId, player_name ← DisplayName, value ← StatValue', {}],
  [
    'LootLocker',
    LOOTLOCKER,
    'external_key ← member_id, player_name ← player.name, value ← score, metadata ← metadata',
    {},
  ],
  ['Unity', UNITY, 'external_key ← playerId, player_name ← playerName, value ← score', {}],
  [
    'Play Games',
    PLAY_GAMES,
    'external_key ← player.playerId, player_name ← player.displayName, value ← scoreValue',
    {},
  ],
  [
    'Nakama',
    '{"records":[{"leaderboard_id":"w","owner_id":"u1","username":"Ann","score":"5","metadata":"{}"}],"next_cursor":"","prev_cursor":""}',
    'external_key ← owner_id, player_name ← username, value ← score, metadata ← metadata',
    {},
  ],
  ['Talo', TALO, 'external_key ← playerAlias.id, value ← score', {}],
  [
    'a column inside objects',
    '[{"who":{"key":"a"},"stats":[{"best":5}]}]',
    'external_key ← who.key, value ← stats.0.best',
    columns('external_key=who.key', 'value=stats.0.best'),
  ],
  [
    'flattened columns',
    'player.id,player.name,score\na,Ann,5\n',
    'external_key ← player.id, player_name ← player.name',
    {},
  ],
  [
    'an object with a title',
    '[{"id":1,"name":"Any %","player":{"ulid":"a","name":"Ann"},"score":5}]',
    'external_key ← player.ulid, player_name ← player.name',
    {},
  ],
  ['ulid', 'ulid,name,score\na,Ann,5\n', 'external_key ← ulid, player_name ← name', {}],
  ['userId', 'userId,userName,score\na,Ann,5\n', 'external_key ← userId, player_name ← userName', {}],
  ['uid', 'UID;Nick;Score\na;Ann;5\n', 'external_key ← UID, player_name ← Nick', {}],
  ['player_name alone', 'player_name,score\nAnn,5\n', 'external_key ← player_name, value ← score', {}],
  [
    'ids of other things',
    'player,score,level_id,runId,seasonID\nann,5,1,2,3\n',
    'external_key ← player, value ← score',
    {},
  ],
])('the player is known by its id: %s', async (_, content, mapping, options) => {
  const { rows, said } = await reads(content, options);
  expect(said).toEqual([expect.stringMatching(new RegExp(`: ${mapping}(, value ← score)?$`, 'i'))]);
  expect(rows).toEqual([
    expect.objectContaining({ external_key: expect.anything(), value: expect.anything() }),
  ]);
});

test.each([
  ['name,score,clan,account_id\nAnn,5,X,1\n', 'external_key could be "name" or "account_id"'],
  ['player_name,score,externalUid\nAnn,5,1\n', 'external_key could be "player_name" or "externalUid"'],
  [
    'id,account_id,identity_id,board_id,player_name,value\n1,2,3,4,Ann,5\n',
    'could be "id" or "account_id" or "identity_id"',
  ],
  ['[{"id":1,"score":5,"runner":{"id":2}}]', 'external_key could be "id" or "runner.id"'],
])('a name is no key where there may be an id: %j', async (content, sentence) => {
  expect(await reason(content)).toContain(sentence);
  expect(await reason(content)).toContain('--column external_key=<column>');
});
