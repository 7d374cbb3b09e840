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


## Takes the session that the game server started. Error CONFLICT: another player's is stored.
func give(tokens: Dictionary) -> LeaderboardAnswer:
	if _renewing != null:
		await _renewing.wait()
	var stored := _stored()
	if not stored.is_empty() and not await _is_of(stored, tokens.get("identity_id")):
		return LeaderboardAnswer.failed(LeaderboardError.new("CONFLICT", OTHER_PLAYER, 409))
	refusal = null
	return _begun(tokens, true)


## True also if the stored session's player was merged into that one, which its refresh tells.
func _is_of(stored: Dictionary, identity_id: Variant) -> bool:
	if stored.get("identity_id") == identity_id:
		return true
	var refreshed := await _refresh(stored)
	return refreshed.error == null and refreshed.data.identity_id == identity_id


## Goes on as the player of a proof or link code: the service's answer has its session, or none
## where it is the same player. `is_proven`: by a proof, which the device's next session needs, too.
func become(answer: Dictionary, is_proven: bool) -> LeaderboardAnswer:
	refusal = null
	if answer.get("session") is Dictionary:
		return _begun(answer.session, is_proven)
	var same := _stored()
	# A device that is linked by now starts its sessions itself.
	same.is_given = is_proven and same.get("is_given", false)
	_keep(same)
	return LeaderboardAnswer.of(same)


func _is_expired(session: Dictionary) -> bool:
	return _options.clock.now() > session.expires_at - MARGIN_MS


## Takes an access token that is not good any more.
func _renew(refused: String) -> LeaderboardAnswer:
	if _renewing != null:
		return await _renewing.wait()
	_renewing = LeaderboardRace.new()
	var answer := await _renewed(refused)
	if answer.error == null:
		_current = answer.data
	var race := _renewing
	_renewing = null
	race.end(answer)
	return answer


func _renewed(refused: String) -> LeaderboardAnswer:
	var stored := _stored()
	# Another tab has a newer session.
	if not stored.is_empty() and stored.access_token != refused and not _is_expired(stored):
		return LeaderboardAnswer.of(stored)
	if not stored.is_empty():
		var refreshed := await _refresh(stored)
		# Void, which is so after a refresh whose answer was lost: a new session.
		if refreshed.error == null or not refreshed.error.status in [401, 422]:
			return refreshed
	var is_given: bool = stored.get("is_given", false)
	var proof: Variant = await _options.proof.call() if _options.proof.is_valid() else null
	if is_given and not proof is Dictionary:
		return _refused("INVALID_REFRESH_TOKEN", ENDED, 401)
	var started := await _start(proof)
	var is_other: bool = (
		is_given and started.error == null and started.data.identity_id != stored.identity_id
	)
	if is_other:
		# What is stored waits for its own player.
		_keep(stored)
		return _refused("CONFLICT", OTHER_PLAYER, 409)
	return started


func _refused(code: String, message: String, status: int) -> LeaderboardAnswer:
	refusal = LeaderboardError.new(code, message, status)
	return LeaderboardAnswer.failed(refusal)


func _refresh(session: Dictionary) -> LeaderboardAnswer:
	var body := {"refresh_token": session.refresh_token}
	var path := "/v1/client/sessions/refresh"
	var refreshed := await _http.send(HTTPClient.METHOD_POST, path, "", body)
	return refreshed if refreshed.error != null else _store(refreshed.data, session)


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
	return _store(answer, {"started_at": now, "is_given": is_given})


## Takes tokens with their player, and the session that they belong to.
func _store(tokens: Dictionary, known: Dictionary) -> LeaderboardAnswer:
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
		"is_given": known.get("is_given", false),
	}
	_keep(session)
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
