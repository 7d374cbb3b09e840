class_name LeaderboardPlayers
extends RefCounted
## Friends, tags, proofs and link codes of the client's player: `Leaderboard.players`. Await every
## function except those that return pages.

const SCORES := "/v1/client/scores"
const TAGS := "/v1/client/tags"
const ME := "/v1/client/me"

var _http: LeaderboardHttp
var _sessions: LeaderboardSessions
var _nonces: LeaderboardNonces
## Tries a read again: `call(read, cancel) -> LeaderboardAnswer`.
var _retried: Callable
## Sends what waits.
var _flush: Callable
## Sends runs and recordings; the error because of which some still wait, or null.
var _send_all: Callable
## The client goes on as another player, who can't use what was fetched ahead.
var _other_player: Callable
## True: runs or recordings wait.
var _waits: Callable


func _init(
	http: LeaderboardHttp,
	sessions: LeaderboardSessions,
	nonces: LeaderboardNonces,
	calls: Dictionary
) -> void:
	_http = http
	_sessions = sessions
	_nonces = nonces
	_retried = calls.retried
	_flush = calls.flush
	_send_all = calls.send_all
	_other_player = calls.other_player
	_waits = calls.waits


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
	var body := {"tags": changed}
	var change := func() -> LeaderboardAnswer:
		return await _written(HTTPClient.METHOD_PATCH, TAGS, body, cancel)
	return _tags_of(await _retried.call(change, cancel))


## Adds a proof to the client's player, who keeps all runs. One that belongs to another player makes
## the client go on as that one. Runs that wait are sent first. If the session has ended
## (INVALID_REFRESH_TOKEN), the proof starts the next one; while runs wait, only one of their player
## does, and they are sent then. `proof`: provider (its slug), token,
## and by choice on_conflict: "switch" (by default: the client's own player stays as it is), "merge"
## (all its runs count for the other one, where the game lets players merge; its own needs a fresh
## proof, too) or "refuse", with up to five board_ids: `details` of the error has the standings of
## both players there. Data: identity_id, display_name: whom the client plays as now. Errors:
## PROOF_REFUSED (sign in again), PROVIDER_UNAVAILABLE (try later), PLAYER_CONFLICT (ask the
## player), CONFLICT (the session that has ended was another player's, whose runs wait). After
## NETWORK and the like, call it again with a fresh proof.
func prove(proof: Dictionary, cancel: LeaderboardCancel = null) -> LeaderboardAnswer:
	var answer := await _become("/v1/client/proofs", proof, true, cancel)
	if answer.error == null or answer.error != _sessions.refusal:
		return answer
	if answer.error.code != LeaderboardCodes.INVALID_REFRESH_TOKEN:
		return answer
	# If nothing waits, it may be any player's.
	var waits: bool = await _waits.call()
	var next := {"provider": proof.get("provider"), "token": proof.get("token")}
	return _acted(await _sessions.resume(next, waits), waits)


## The player as it sees itself. Data: identity_id, device_id (this device), proofs (accounts that
## prove who it is: provider, kind, the end of its subject, proven_at, last_proven_at), devices that
## act for it (device_id, platform, status, last_seen_at, is_linked: `unlink_device` unlinks it),
## and merged_player_ids: players whose runs count for it since a merge.
func me(cancel: LeaderboardCancel = null) -> LeaderboardAnswer:
	return await _sent(HTTPClient.METHOD_GET, ME, null, cancel)


## Gives a linked or merged device of the player, this one included, its own player back; its
## sessions for this player end immediately. Runs that were played stay the player's. From this
## device, runs and recordings that wait are sent first, as by `prove`. Data: how many sessions have
## ended. The error NOT_FOUND: it isn't a device of the player.
func unlink_device(device_id: String, cancel: LeaderboardCancel = null) -> LeaderboardAnswer:
	var own := await me(cancel)
	if own.error != null:
		return own
	var is_own: bool = own.data.get("device_id") == device_id
	if is_own:
		var waits: LeaderboardError = await _send_all.call()
		if waits != null:
			return LeaderboardAnswer.failed(waits)
	var path := "/v1/client/devices/%s/unlink" % device_id.uri_encode()
	var unlink := func() -> LeaderboardAnswer:
		return await _written(HTTPClient.METHOD_POST, path, null, cancel)
	var answer: LeaderboardAnswer = await _retried.call(unlink, cancel)
	# If its answer was lost, the session that the repetition needs has ended with it.
	var is_lost := is_own and answer.error != null and answer.error == _sessions.refusal
	if answer.error != null and not is_lost:
		return answer
	var count := 1 if is_lost else int(answer.data.get("count", 0))
	if is_own and count > 0:
		_acted(await _sessions.leave(), false)
	return LeaderboardAnswer.of(count)


## Makes a code to show on this device, for `redeem` on another one: good for ten minutes, and
## once. A new one replaces it. Data: code, expires_at.
func link_code(cancel: LeaderboardCancel = null) -> LeaderboardAnswer:
	var make := func() -> LeaderboardAnswer:
		return await _written(HTTPClient.METHOD_POST, "/v1/client/link-codes", null, cancel)
	return await _retried.call(make, cancel)


## Links this device to the player whose device shows the code: the client goes on as that one, and
## so do later sessions of the device. Runs that wait are sent first. `code` as the player types it;
## `more` may have on_conflict and board_ids, as of `prove`. Data as of `prove`. Errors:
## INVALID_CODE (wrong, expired or used), PLAYER_CONFLICT (ask the player).
func redeem(
	code: String, more := {}, cancel: LeaderboardCancel = null
) -> LeaderboardAnswer:
	var body := more.duplicate()
	body.code = code.strip_edges()
	return await _become("/v1/client/link-codes/redeem", body, false, cancel)


## Sends a proof or a code, after which the session may be another player's. Not tried again: a
## proof is accepted once.
func _become(
	path: String, body: Dictionary, is_proven: bool, cancel: LeaderboardCancel
) -> LeaderboardAnswer:
	var waits: LeaderboardError = await _send_all.call()
	if waits != null:
		return LeaderboardAnswer.failed(waits)
	var before := await _sessions.get_session()
	if before.error != null:
		return before
	var own: Variant = before.data.identity_id
	var change := func(_session: Dictionary, nonce: String) -> LeaderboardAnswer:
		var ask := func(session: Dictionary) -> LeaderboardAnswer:
			return await _http.send(
				HTTPClient.METHOD_POST, path, session.access_token, body, cancel, nonce
			)
		return await _sessions.become(ask, is_proven)
	var answer := await _with_nonce(change)
	if answer.error != null:
		answer = await _became_unheard(own, answer)
	return _acted(answer, answer.error == null and answer.data.identity_id == own)


## What a change of the session leads to. `is_same`: it acts for the player of before, whose tickets
## were fetched ahead.
func _acted(answer: LeaderboardAnswer, is_same: bool) -> LeaderboardAnswer:
	if answer.error == null:
		_nonces.clear()
		if not is_same:
			_other_player.call()
		_flush.call()
	return LeaderboardSessions.player_of(answer)


## If the answer was lost, the session tells what became of it.
func _became_unheard(own: Variant, failed: LeaderboardAnswer) -> LeaderboardAnswer:
	# Some transports repeat a request whose connection broke.
	var is_used := failed.error.code == LeaderboardCodes.INVALID_CODE
	if not failed.error.is_unheard() and not is_used:
		return failed
	var now := await _sessions.read(ME)
	if now.error != null or now.data.get("identity_id") == own:
		return failed
	return await _sessions.get_session()


func _written(
	method: HTTPClient.Method, path: String, body: Variant, cancel: LeaderboardCancel
) -> LeaderboardAnswer:
	return await _with_nonce(
		func(session: Dictionary, nonce: String) -> LeaderboardAnswer:
			return await _http.send(method, path, session.access_token, body, cancel, nonce)
	)


## A change with a nonce, `change(session, nonce)`; once more with another one if that is refused.
func _with_nonce(change: Callable) -> LeaderboardAnswer:
	var attempt := func(session: Dictionary) -> LeaderboardAnswer:
		var fresh := await _nonces.take(1)
		if fresh.error != null:
			return fresh
		return await change.call(session, fresh.data[0])
	var answer := await _sessions.with_session(attempt)
	if answer.error == null or answer.error.status != 412:
		return answer
	_nonces.clear()
	return await _sessions.with_session(attempt)


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
