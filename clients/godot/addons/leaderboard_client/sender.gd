class_name LeaderboardSender
extends RefCounted
## Sends the waiting runs, many in one request and one request at a time, until each is answered.

signal answered(result: LeaderboardResult)
signal dropped(run: Dictionary, error: LeaderboardError)
signal trouble(error: LeaderboardError)
## Nothing can be done any more now.
signal rested

## The service's bound of items in one request.
const MOST_IN_REQUEST := 100

var is_working := false
## The newest failure; null: the last request was answered.
var failure: LeaderboardError

var _options: LeaderboardOptions
var _http: LeaderboardHttp
var _sessions: LeaderboardSessions
var _nonces: LeaderboardNonces
var _queue: LeaderboardRunQueue
var _recordings: LeaderboardRecordings
## Races of those who wait for a run, by its key.
var _waiters := {}
## Keys of the runs that are under way.
var _sent := {}
## When runs with tickets ended, by key and the clock that never goes back; of an earlier start of
## the game, the device's clock knows.
var _ended := {}
## Errors of tickets that came too late, by key: their runs are sent once more, with a nonce.
var _late := {}
var _pause: LeaderboardRace
var _is_closed := false
var _most := MOST_IN_REQUEST


func _init(
	http: LeaderboardHttp,
	sessions: LeaderboardSessions,
	nonces: LeaderboardNonces,
	queue: LeaderboardRunQueue,
	recordings: LeaderboardRecordings
) -> void:
	_options = http.options
	_http = http
	_sessions = sessions
	_nonces = nonces
	_queue = queue
	_recordings = recordings


## Stores a run, then its recording (`keep`), and sends it. Its answer, or "queued" after the
## deadline or when cancelled.
func submit(
	run: Dictionary, deadline_ms: int, cancel: LeaderboardCancel = null, keep := Callable()
) -> LeaderboardResult:
	if run.has("ticket"):
		_ended[run.key] = int(_options.clock.elapsed())
	_queue.add(run, _sent)
	if keep.is_valid():
		keep.call()
	var race := LeaderboardRace.new()
	if not _waiters.has(run.key):
		_waiters[run.key] = []
	var waiting: Array = _waiters[run.key]
	waiting.append(race)
	var stop := func() -> void: race.end(LeaderboardResult.queued(run, failure))
	_http.holder.get_tree().create_timer(deadline_ms / 1000.0).timeout.connect(stop)
	if cancel != null:
		cancel.cancelled.connect(stop)
	if _is_closed or (cancel != null and cancel.is_cancelled):
		stop.call()
	start()
	var result: LeaderboardResult = await race.wait()
	waiting.erase(race)
	if waiting.is_empty() and _waiters.get(run.key) == waiting:
		_waiters.erase(run.key)
	return result


## Sends waiting runs, immediately unless the service asked for a pause.
func start() -> void:
	if _pause != null and (failure == null or failure.retry_after < 0.0):
		_pause.end()
	if not is_working and not _is_closed:
		_work()


func close() -> void:
	_is_closed = true
	if _pause != null:
		_pause.end()
	_give_up()


## Until the next call: runs stay, and those who wait for them learn why.
func _give_up() -> void:
	for run in _queue.list():
		# A waiter that ends takes itself out of the list.
		for race: LeaderboardRace in _waiters.get(run.key, []).duplicate():
			race.end(LeaderboardResult.queued(run, failure))


func _work() -> void:
	is_working = true
	var failures := 0
	while not _is_closed and not _queue.list().is_empty():
		var error := await _send_some()
		failures = 0 if error == null else failures + 1
		failure = error
		if error == null or _is_closed:
			continue
		trouble.emit(error)
		var is_nonce := error.status == 412
		if is_nonce:
			_nonces.clear()
		var is_repeated := error.is_temporary() or is_nonce or error.status == 401
		if error == _sessions.refusal or error.is_lock() or not is_repeated:
			_give_up()
			break
		# A refused nonce is replaced immediately; if the new ones are refused, too, that is a failure.
		if not is_nonce or failures > 1:
			await _wait(_options.pause_after(failures, error))
	is_working = false
	rested.emit()


func _wait(ms: int) -> void:
	_pause = LeaderboardRace.new()
	_http.holder.get_tree().create_timer(ms / 1000.0).timeout.connect(_pause.end)
	await _pause.wait()
	_pause = null


## The error after which runs must be sent again; null: all that were sent are settled.
func _send_some() -> LeaderboardError:
	var runs := _queue.list().slice(0, _most)
	for run: Dictionary in runs:
		_sent[run.key] = true
	var answer := await _sessions.with_session(_send_runs.bind(runs))
	var error := answer.error
	if error != null and error.status == 413 and runs.size() > 1:
		_most = ceili(runs.size() / 2.0)
		error = null
	elif error == null:
		error = _settle(runs, answer.data)
		_most = MOST_IN_REQUEST
	_sent.clear()
	_queue.trim()
	return error


func _send_runs(session: Dictionary, runs: Array[Dictionary]) -> LeaderboardAnswer:
	var without := runs.filter(func(run: Dictionary) -> bool: return _ticket_of(run) == "")
	var fresh := await _nonces.take(without.size())
	if fresh.error != null:
		return fresh
	var items: Array[Dictionary] = []
	for run in runs:
		var ticket := _ticket_of(run)
		var nonce: String = ticket if ticket != "" else fresh.data.pop_front()
		var item := _item_of(run, nonce, session.display_name)
		if ticket != "":
			item.idle_ms = _idle_of(run)
		items.append(item)
	return await _http.send(
		HTTPClient.METHOD_POST,
		"/v1/client/scores/batch",
		session.access_token,
		{"items": items}
	)


## Empty: it is sent with a nonce.
func _ticket_of(run: Dictionary) -> String:
	return "" if _late.has(run.key) else str(run.get("ticket", ""))


## Milliseconds until the end of the run, and since then.
func _idle_of(run: Dictionary) -> int:
	var waited := int(_options.clock.now()) - int(run.get("created_at", 0))
	if _ended.has(run.key):
		waited = int(_options.clock.elapsed()) - int(_ended[run.key])
	return int(run.get("idle_ms", 0)) + maxi(0, waited)


func _item_of(run: Dictionary, nonce: String, known_name: Variant) -> Dictionary:
	var name: Variant = run.get("player_name")
	if name == null:
		name = "" if known_name == null else known_name
	return {
		"board_id": run.board_id,
		"player_name": name,
		"value": run.value,
		"value_display": run.get("value_display"),
		"metadata": run.get("metadata"),
		"tags": run.get("tags"),
		"session_ms": run.get("session_ms"),
		"run_ms": run.get("run_ms"),
		"splits": run.get("splits"),
		"recording_hash": run.get("recording_hash"),
		"nonce": nonce,
		"idempotency_key": run.key,
	}


## The error of an item that must be sent again, once all others are settled; null: there is none.
func _settle(runs: Array[Dictionary], body: Dictionary) -> LeaderboardError:
	var items: Variant = body.get("results")
	if not items is Array or items.size() != runs.size():
		return LeaderboardError.strange(200)
	var final: Array[LeaderboardResult] = []
	var repeat: LeaderboardError
	for i in runs.size():
		if items[i].get("score") != null:
			final.append(LeaderboardResult.ranked(runs[i], items[i]))
			continue
		var error := LeaderboardError.of(items[i].get("error"), int(items[i].get("status", 0)))
		if error == null:
			error = LeaderboardError.strange(200)
		if error.is_temporary() or error.is_lock() or error.status in [401, 412]:
			repeat = error if repeat == null else repeat
		elif _is_late(runs[i], error):
			_late[runs[i].key] = error
		else:
			if error.code == LeaderboardCodes.TICKET_REQUIRED:
				error = _late.get(runs[i].key, error)
			final.append(LeaderboardResult.refused(runs[i], error))
	_finish(final)
	return repeat


## True: without its ticket the run may count.
func _is_late(run: Dictionary, error: LeaderboardError) -> bool:
	var codes := [LeaderboardCodes.TICKET_EXPIRED, LeaderboardCodes.TICKET_STALE]
	return not _late.has(run.key) and error.code in codes


func _finish(final: Array[LeaderboardResult]) -> void:
	if final.is_empty():
		return
	var keys := {}
	for result in final:
		keys[result.run.key] = true
		_late.erase(result.run.key)
		_ended.erase(result.run.key)
		# The service's name for the player is the one of its newest run, unless an administrator gave
		# it another.
		if result.status == "ranked" and result.kept and not _options.test_mode:
			_sessions.named(result.score.player_name)
	_recordings.settle(final)
	_queue.remove(keys)
	for result in final:
		answered.emit(result)
		if result.status == "refused":
			dropped.emit(result.run, result.error)
		for race: LeaderboardRace in _waiters.get(result.run.key, []).duplicate():
			race.end(result)
