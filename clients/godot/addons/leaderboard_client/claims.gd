class_name LeaderboardClaims
extends RefCounted
## Claims of rewards: sent one after the other until each is answered; repeated, the service returns
## the first answer. The ids of what was claimed are kept for ever, so nothing is handed out twice.

signal answered(result: LeaderboardClaim)
signal trouble(error: LeaderboardError)
signal storage_failed

## The newest failure; null: the last request was answered.
var failure: LeaderboardError

var _options: LeaderboardOptions
var _http: LeaderboardHttp
var _sessions: LeaderboardSessions
var _nonces: LeaderboardNonces
## Where they are stored.
var _name: String
## Ids, as stored.
var _waiting: Array[String] = []
var _used: Array[String] = []
## Held by the studio, or gone for the moment: they wait for the next call.
var _held := {}
## Claims whose game has not been told that they wait.
var _fresh := {}
## Races of those who wait for a claim, by its reward.
var _waiters := {}
var _pause: LeaderboardRace
var _is_working := false
var _is_closed := false


func _init(
	http: LeaderboardHttp, sessions: LeaderboardSessions, nonces: LeaderboardNonces, name: String
) -> void:
	_options = http.options
	_http = http
	_sessions = sessions
	_nonces = nonces
	_name = name
	var json := JSON.new()
	if json.parse(_options.storage.read(_name)) != OK or not json.data is Dictionary:
		return
	_waiting.assign(json.data.get("waiting", []))
	_used.assign(json.data.get("used", []))


## Stores a claim and sends it. Its answer, or "queued" after the deadline or when cancelled.
func claim(
	reward_id: String, deadline_ms: int, cancel: LeaderboardCancel = null
) -> LeaderboardClaim:
	if not _waiting.has(reward_id):
		_waiting.append(reward_id)
		_fresh[reward_id] = true
		_store()
	var race := LeaderboardRace.new()
	if not _waiters.has(reward_id):
		_waiters[reward_id] = []
	_waiters[reward_id].append(race)
	var stop := func() -> void: race.end(LeaderboardClaim.queued(reward_id, failure))
	_http.holder.get_tree().create_timer(deadline_ms / 1000.0).timeout.connect(stop)
	if cancel != null:
		cancel.cancelled.connect(stop)
	if _is_closed or (cancel != null and cancel.is_cancelled):
		stop.call()
	start()
	var result: LeaderboardClaim = await race.wait()
	var others: Array = _waiters.get(reward_id, [])
	others.erase(race)
	_fresh.erase(reward_id)
	if others.is_empty():
		_waiters.erase(reward_id)
	return result


## Sends waiting claims, immediately unless the service asked for a pause.
func start() -> void:
	_held.clear()
	if _pause != null and (failure == null or failure.retry_after < 0.0):
		_pause.end()
	if not _is_working and not _is_closed:
		_work()


func close() -> void:
	_is_closed = true
	if _pause != null:
		_pause.end()
	_give_up()


## Until the next call: claims stay, and those who wait for them learn why.
func _give_up() -> void:
	for reward_id in _waiting:
		_answer(LeaderboardClaim.queued(reward_id, failure))


func _work() -> void:
	_is_working = true
	var failures := 0
	while not _is_closed and _due() != "":
		var error := await _send(_due())
		failures = 0 if error == null else failures + 1
		failure = error
		if error == null or _is_closed:
			continue
		trouble.emit(error)
		var is_nonce := error.status == 412
		if is_nonce:
			_nonces.clear()
		if error == _sessions.refusal or error.is_lock():
			_give_up()
			break
		if not is_nonce or failures > 1:
			await _wait(_options.pause_after(failures, error))
	_is_working = false


## The next claim to send; empty: there is none.
func _due() -> String:
	for reward_id in _waiting:
		if not _held.has(reward_id):
			return reward_id
	return ""


func _wait(ms: int) -> void:
	_pause = LeaderboardRace.new()
	_http.holder.get_tree().create_timer(ms / 1000.0).timeout.connect(_pause.end)
	await _pause.wait()
	_pause = null


## The error after which it must be sent again; null: it is settled.
func _send(reward_id: String) -> LeaderboardError:
	var answer := await _sessions.with_session(_send_claim.bind(reward_id))
	var error := answer.error
	if error != null and (error.is_temporary() or error.is_lock() or error.status in [401, 412]):
		return error
	# What was claimed offline is not given up for a board that is deleted for the moment.
	var is_held := error != null and error.code == LeaderboardCodes.INVALID_TRANSITION
	if error != null and error.code == LeaderboardCodes.NOT_FOUND:
		is_held = not _fresh.has(reward_id)
	if is_held:
		_held[reward_id] = true
		_answer(LeaderboardClaim.queued(reward_id, error))
		return null
	_waiting.erase(reward_id)
	# Stored before it is told: a game that ends now hands it out never, rather than twice.
	var is_new := error == null and not _used.has(reward_id)
	if is_new:
		_used.append(reward_id)
	_store()
	var result := LeaderboardClaim.refused(reward_id, error)
	if error == null:
		result = LeaderboardClaim.claimed(answer.data, is_new)
	answered.emit(result)
	_answer(result)
	return null


func _answer(result: LeaderboardClaim) -> void:
	for race: LeaderboardRace in _waiters.get(result.reward_id, []).duplicate():
		race.end(result)


func _send_claim(session: Dictionary, reward_id: String) -> LeaderboardAnswer:
	var fresh := await _nonces.take(1)
	if fresh.error != null:
		return fresh
	return await _http.send(
		HTTPClient.METHOD_POST,
		"/v1/client/rewards/%s/claim" % reward_id.uri_encode(),
		session.access_token,
		null,
		null,
		fresh.data[0]
	)


func _store() -> void:
	var text := JSON.stringify({"waiting": _waiting, "used": _used})
	if not _options.storage.write(_name, text):
		storage_failed.emit()
