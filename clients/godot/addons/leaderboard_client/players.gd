class_name LeaderboardPlayers
extends RefCounted
## Friends and tags of the client's player: `Leaderboard.players`. Await every function except
## those that return pages.

const SCORES := "/v1/client/scores"
const TAGS := "/v1/client/tags"

var _http: LeaderboardHttp
var _sessions: LeaderboardSessions
var _nonces: LeaderboardNonces
## Tries a read again: `call(read, cancel) -> LeaderboardAnswer`.
var _retried: Callable


func _init(
	http: LeaderboardHttp,
	sessions: LeaderboardSessions,
	nonces: LeaderboardNonces,
	retried: Callable
) -> void:
	_http = http
	_sessions = sessions
	_nonces = nonces
	_retried = retried


## The player's friends, page by page: id, display_name. The list belongs to the game server, which
## changes it with its API key.
func friends(limit := 20) -> LeaderboardPages:
	return _pages("/v1/client/friends", {"limit": limit})


## The player and its friends on a board, page by page, the best first: among_rank is the rank among
## them.
func friends_ranking(board_id: String, limit := 20) -> LeaderboardPages:
	var query := _query(board_id, limit)
	query.among = "friends"
	return _pages(SCORES, query)


## These players on a board, up to 500, page by page, the best first; the client's own only if it is
## named.
func ranking_of(
	board_id: String, player_ids: PackedStringArray, limit := 20
) -> LeaderboardPages:
	var body := _query(board_id, limit)
	if body.has("is_test"):
		body.is_test = true
	body.player_ids = player_ids
	return LeaderboardPages.new(
		func(cursor: String, cancel: LeaderboardCancel) -> LeaderboardAnswer:
			var asked := body.duplicate()
			if cursor != "":
				asked.cursor = cursor
			return await _sent(HTTPClient.METHOD_POST, SCORES + "/among", asked, cancel)
	)


## The player's tags. Data: values by name.
func tags(cancel: LeaderboardCancel = null) -> LeaderboardAnswer:
	return _tags_of(await _sent(HTTPClient.METHOD_GET, TAGS, null, cancel))


## Changes the tags that are named; null removes one. Views by tags move all of the player's runs to
## its new groups. Data: all tags. The error is FORBIDDEN for a tag that only the game server sets.
func set_tags(changed: Dictionary, cancel: LeaderboardCancel = null) -> LeaderboardAnswer:
	var change := func() -> LeaderboardAnswer:
		var answer := await _change_tags(changed, cancel)
		if answer.error != null and answer.error.status == 412:
			_nonces.clear()
			answer = await _change_tags(changed, cancel)
		return answer
	return _tags_of(await _retried.call(change, cancel))


func _change_tags(changed: Dictionary, cancel: LeaderboardCancel) -> LeaderboardAnswer:
	return await _sessions.with_session(
		func(session: Dictionary) -> LeaderboardAnswer:
			var fresh := await _nonces.take(1)
			if fresh.error != null:
				return fresh
			var body := {"tags": changed}
			return await _http.send(
				HTTPClient.METHOD_PATCH, TAGS, session.access_token, body, cancel, fresh.data[0]
			)
	)


func _tags_of(answer: LeaderboardAnswer) -> LeaderboardAnswer:
	return answer if answer.error != null else LeaderboardAnswer.of(answer.data.get("tags", {}))


func _query(board_id: String, limit: int) -> Dictionary:
	var query := {"board_id": board_id, "limit": limit}
	if _http.options.test_mode:
		query.is_test = "true"
	return query


func _pages(path: String, query: Dictionary) -> LeaderboardPages:
	return LeaderboardPages.new(
		func(cursor: String, cancel: LeaderboardCancel) -> LeaderboardAnswer:
			var asked := query.duplicate()
			if cursor != "":
				asked.cursor = cursor
			var place := path + LeaderboardHttp.query_of(asked)
			return await _sent(HTTPClient.METHOD_GET, place, null, cancel)
	)


func _sent(
	method: HTTPClient.Method, path: String, body: Variant, cancel: LeaderboardCancel
) -> LeaderboardAnswer:
	var send := func(session: Dictionary) -> LeaderboardAnswer:
		return await _http.send(method, path, session.access_token, body, cancel)
	return await _retried.call(
		func() -> LeaderboardAnswer: return await _sessions.with_session(send), cancel
	)
