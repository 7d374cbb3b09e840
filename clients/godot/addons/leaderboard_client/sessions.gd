class_name LeaderboardSessions
extends RefCounted
## The session of a device, in its storage. An expired access token is refreshed, and where the
## refresh is refused, a session is started for the same device, which is the same player; not in
## place of one that the game server or a proof started.

signal storage_failed

## Tokens that are about to expire are exchanged before they are used.
const MARGIN_MS := 30_000

const ENDED := (
	"The session has ended. Sign in again, and pass a new session of your game server to "
	+ "session(), or a new proof to the option proof."
)
const OTHER_PLAYER := (
	"The session stored here is that of another player. "
	+ "Use a client with its own device for each player."
)

## The newest refusal of a session's start that another attempt does not change.
var refusal: LeaderboardError

var _options: LeaderboardOptions
var _http: LeaderboardHttp
var _device: String
## Where the session is stored.
var _name: String
var _current := {}
## Start of the session whose place on the clock that never goes back is known, and that place.
var _origin_of := -1
var _origin := 0
## The renewal that runs; all that need one wait for it.
var _renewing: LeaderboardRace
## The change of the session that runs; others wait for their turn.
var _changing: LeaderboardRace


func _init(
	options: LeaderboardOptions, http: LeaderboardHttp, device: String, name: String
) -> void:
	_options = options
	_http = http
	_device = device
	_name = name


## Calls `send(session) -> LeaderboardAnswer`; once more with a new session if the token is refused.
func with_session(send: Callable) -> LeaderboardAnswer:
	var session := await get_session()
	if session.error != null:
		return session
	var answer: LeaderboardAnswer = await send.call(session.data)
	if answer.error == null or answer.error.status != 401:
		return answer
	if answer.error.code == LeaderboardCodes.PROOF_REFUSED:
		return answer
	var renewed := await _renew(session.data.access_token)
	return renewed if renewed.error != null else await send.call(renewed.data)


## A GET with the session's token.
func read(path: String, cancel: LeaderboardCancel = null) -> LeaderboardAnswer:
	return await with_session(
		func(session: Dictionary) -> LeaderboardAnswer:
			return await _http.send(
				HTTPClient.METHOD_GET, path, session.access_token, null, cancel
			)
	)


## The answer's data: access_token, refresh_token, expires_at, identity_id, display_name.
func get_session() -> LeaderboardAnswer:
	if not _current.is_empty() and not _is_expired(_current):
		return LeaderboardAnswer.of(_current)
	return await _renew(_current.get("access_token", ""))


## Milliseconds since the session started; 0 before the first one. Null: stored by an earlier
## version of the addon.
func age() -> Variant:
	var session := _stored() if _current.is_empty() else _current
	if session.is_empty():
		return 0
	if session.get("started_at") == null:
		return null
	# The device's clock is read once: a player may set it while the game runs.
	if _origin_of != int(session.started_at):
		_anchor(int(session.started_at))
	return maxi(0, _options.clock.elapsed() - _origin)


func _anchor(started_at: int) -> void:
	_origin_of = started_at
	_origin = _options.clock.elapsed() - (_options.clock.now() - started_at)


## The service's name for the player has become this one.
func named(display_name: String) -> void:
	var session := _stored()
	if session.is_empty() or session.get("display_name") == display_name:
		return
	session.display_name = display_name
	_keep(session)


## Stores what `work(stored) -> LeaderboardAnswer` makes of the stored session, empty before the
## first one. Nobody renews it meanwhile; changes come in the order of their calls.
func change(work: Callable) -> LeaderboardAnswer:
	var before := _changing
	var turn := LeaderboardRace.new()
	_changing = turn
	if before != null:
		await before.wait()
	var answer: LeaderboardAnswer = await work.call(_stored())
	if answer.error == null:
		refusal = null
		_keep(answer.data)
	if _changing == turn:
		_changing = null
	turn.end()
	return answer


## Takes the session that the game server started. Error CONFLICT: another player's is stored.
func give(tokens: Dictionary) -> LeaderboardAnswer:
	return await change(
		func(stored: Dictionary) -> LeaderboardAnswer:
			var given := await _after(stored, _begun(tokens, true))
			if given.error != null or not given.data.is_empty():
				return given
			return LeaderboardAnswer.failed(LeaderboardError.new("CONFLICT", OTHER_PLAYER, 409))
	)


## A new session in place of the stored one. Empty: it's that of another player, with whom runs that
## wait would count. The same player is also the one of a merge, which may have happened on another
## device and be undone by now.
func _after(stored: Dictionary, begun: LeaderboardAnswer) -> LeaderboardAnswer:
	if begun.error != null or stored.is_empty():
		return begun
	var first: Variant = stored.get("started_as")
	if first == null:
		first = stored.get("identity_id")
	var same: Array = [stored.get("identity_id"), first]
	if not begun.data.identity_id in same:
		var me := await _http.send(
			HTTPClient.METHOD_GET, "/v1/client/me", begun.data.access_token, null
		)
		if me.error != null:
			return me
		var merged: Variant = me.data.get("merged_player_ids")
		var is_same := func(id: Variant) -> bool: return id in same
		if not merged is Array or not (merged as Array).any(is_same):
			return LeaderboardAnswer.of({})
	begun.data.started_as = first
	return begun


## Goes on as the player of a proof or link code, which `ask(session) -> LeaderboardAnswer` sends:
## the service's answer has its session, or none where it is the same player. The service may end
## the session before it answers. `is_proven`: by a proof, which the device's next session needs,
## too.
func become(ask: Callable, is_proven: bool) -> LeaderboardAnswer:
	return await change(
		func(stored: Dictionary) -> LeaderboardAnswer:
			var answer: LeaderboardAnswer = await ask.call(stored)
			if answer.error != null:
				return answer
			var next := LeaderboardAnswer.of(stored)
			if answer.data.get("session") is Dictionary:
				next = _begun(answer.data.session, is_proven)
			else:
				# A device that is linked by now starts its sessions itself.
				stored.is_given = is_proven and stored.get("is_given", false)
			if next.error == null:
				next.data.merge_refused = null
			return next
	)


## Starts the next session with a proof, in place of one that has ended. `is_same`: it must be the
## same player's.
func resume(proof: Dictionary, is_same: bool) -> LeaderboardAnswer:
	return await change(
		func(ended: Dictionary) -> LeaderboardAnswer:
			return await _next(ended if is_same else {}, proof)
	)


## The device is unlinked: its next session is its own player's.
func leave() -> LeaderboardAnswer:
	return await change(
		func(stored: Dictionary) -> LeaderboardAnswer:
			stored.is_given = false
			return LeaderboardAnswer.of(stored)
	)


## The player of a session, as games see it.
static func player_of(answer: LeaderboardAnswer) -> LeaderboardAnswer:
	if answer.error != null:
		return answer
	return LeaderboardAnswer.of(
		{
			"identity_id": answer.data.identity_id,
			"display_name": answer.data.display_name,
			"merge_refused": answer.data.get("merge_refused"),
		}
	)


func _is_expired(session: Dictionary) -> bool:
	return _options.clock.now() > session.expires_at - MARGIN_MS


## Takes an access token that is not good any more.
func _renew(refused: String) -> LeaderboardAnswer:
	if _renewing != null:
		return await _renewing.wait()
	_renewing = LeaderboardRace.new()
	var answer := await change(_renewed.bind(refused))
	var race := _renewing
	_renewing = null
	race.end(answer)
	return answer


func _renewed(stored: Dictionary, refused: String) -> LeaderboardAnswer:
	# Another tab has a newer session.
	if not stored.is_empty() and stored.access_token != refused and not _is_expired(stored):
		return LeaderboardAnswer.of(stored)
	if not stored.is_empty():
		var refreshed := await _refresh(stored)
		# Void, which is so after a refresh whose answer was lost: a new session.
		if refreshed.error == null or not refreshed.error.status in [401, 422]:
			return refreshed
	return await _next(stored, null)


## The session in place of one that has ended, if there was one. `given`: a proof; null: what the
## option has.
func _next(ended: Dictionary, given: Variant) -> LeaderboardAnswer:
	var is_given: bool = ended.get("is_given", false)
	var proof: Variant = given
	if proof == null and _options.proof.is_valid():
		proof = await _options.proof.call()
	if is_given and not proof is Dictionary:
		return _refused("INVALID_REFRESH_TOKEN", ENDED, 401)
	var started := await _after(ended if is_given else {}, await _start(proof))
	if started.error == null and started.data.is_empty():
		return _refused("CONFLICT", OTHER_PLAYER, 409)
	return started


func _refused(code: String, message: String, status: int) -> LeaderboardAnswer:
	refusal = LeaderboardError.new(code, message, status)
	return LeaderboardAnswer.failed(refusal)


func _refresh(session: Dictionary) -> LeaderboardAnswer:
	var body := {"refresh_token": session.refresh_token}
	var path := "/v1/client/sessions/refresh"
	var refreshed := await _http.send(HTTPClient.METHOD_POST, path, "", body)
	return refreshed if refreshed.error != null else _session_of(refreshed.data, session)


## `proof`: null for the player of the device.
func _start(proof: Variant) -> LeaderboardAnswer:
	var body := {"game_id": _options.game_id, "client_fingerprint": _device}
	if _options.platform != "":
		body.platform = _options.platform
	if not _options.metadata.is_empty():
		body.metadata = _options.metadata
	if _options.test_mode:
		body.test_mode = true
	if proof is Dictionary:
		body.proof = proof
	var path := "/v1/client/sessions"
	var started := await _http.send(HTTPClient.METHOD_POST, path, "", body)
	if started.error != null:
		if not started.error.is_temporary():
			refusal = started.error
		return started
	return _begun(started.data, proof is Dictionary)


## A session that begins now.
func _begun(answer: Dictionary, is_given: bool) -> LeaderboardAnswer:
	var now: int = _options.clock.now()
	_anchor(now)
	var known := {
		"started_at": now,
		"started_as": answer.get("identity_id"),
		"is_given": is_given,
		"merge_refused": answer.get("merge_refused"),
	}
	return _session_of(answer, known)


## A session with the tokens and the player of an answer, and what is known of it. `started_as`:
## whom the first of the player's sessions here acted for; a merge makes it another one, an undo the
## same again.
func _session_of(tokens: Dictionary, known: Dictionary) -> LeaderboardAnswer:
	if not tokens.get("access_token") is String or not tokens.get("refresh_token") is String:
		return LeaderboardAnswer.failed(LeaderboardError.strange(200))
	var display_name: Variant = tokens.get("display_name", known.get("display_name"))
	var session := {
		"access_token": tokens.access_token,
		"refresh_token": tokens.refresh_token,
		"expires_at": _options.clock.now() + int(float(tokens.get("expires_in", 0)) * 1000.0),
		"identity_id": tokens.get("identity_id", known.get("identity_id")),
		# A new player has no name yet.
		"display_name": null if display_name == "" else display_name,
		"started_at": known.get("started_at"),
		"started_as": known.get("started_as"),
		"is_given": known.get("is_given", false),
		"merge_refused": known.get("merge_refused"),
	}
	return LeaderboardAnswer.of(session)


## A session that cannot be stored is good for this process.
func _keep(session: Dictionary) -> void:
	_current = session
	if not _options.storage.write(_name, JSON.stringify(session)):
		storage_failed.emit()


func _stored() -> Dictionary:
	var json := JSON.new()
	if json.parse(_options.storage.read(_name)) != OK or not json.data is Dictionary:
		return _current
	return json.data if json.data.has_all(["access_token", "refresh_token"]) else _current
