class_name LeaderboardRecordings
extends RefCounted
## Recordings of runs: they wait beside the queue, five at most, the newest kept; are sent once
## their runs are answered, one at a time. Each is stored after its run.

## "stored", or "refused": not wanted any more, or not the announced file.
signal answered(key: String, status: String, error: LeaderboardError)
signal trouble(error: LeaderboardError)
signal storage_failed
## Nothing can be done any more now.
signal rested

## Files may be large.
const MOST := 5

## The newest failure; null: the last request was answered.
var failure: LeaderboardError

var _options: LeaderboardOptions
var _http: LeaderboardHttp
var _sessions: LeaderboardSessions
var _nonces: LeaderboardNonces
## Where they are listed.
var _name: String
## As stored, oldest first: the run's key, the slot of its file's name, and event_id where the
## service wants it.
var _all: Array[Dictionary] = []
## The stored ones could not be read yet; what is answered until then, by key.
var _is_unread := false
var _answers := {}
## Files that the storage did not take, by slot: these last as long as this process.
var _unstored := {}
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
	_all = _stored()


## SHA-256 as hexadecimal text.
static func hash_of(file: PackedByteArray) -> String:
	var hashing := HashingContext.new()
	hashing.start(HashingContext.HASH_SHA256)
	hashing.update(file)
	return hashing.finish().hex_encode()


## Keeps the file of a run that is stored.
func keep(key: String, file: PackedByteArray) -> void:
	_read_again()
	var others := _all.filter(func(one: Dictionary) -> bool: return one.key != key)
	while others.size() >= MOST:
		others.pop_front()
	var taken := others.map(func(one: Dictionary) -> int: return one.slot)
	# The slots of a list that can't be read are not used.
	var slot := MOST if _is_unread else 0
	while taken.has(slot):
		slot += 1
	var text := Marshalls.raw_to_base64(file)
	_unstored.erase(slot)
	if not _options.storage.write(_file_of(slot), text):
		_unstored[slot] = text
		storage_failed.emit()
	others.append({"key": key, "slot": slot})
	_store(others)


## Runs are answered: their recordings are wanted, or go. Before the runs leave the queue.
func settle(results: Array[LeaderboardResult]) -> void:
	var events := {}
	for result in results:
		events[result.run.key] = result.recording_event
	_read_again()
	if _is_unread:
		_answers.merge(events, true)
	var left := _settled(_all, events)
	if left != _all:
		_store(left)
		start()


## A run will never be sent, or its recording is settled.
func drop(key: String) -> void:
	if _is_unread:
		_answers[key] = ""
	if _all.any(func(one: Dictionary) -> bool: return one.key == key):
		_store(_all.filter(func(one: Dictionary) -> bool: return one.key != key))


## Sends those that are wanted, immediately unless the service asked for a pause.
func start() -> void:
	if _pause != null and (failure == null or failure.retry_after < 0.0):
		_pause.end()
	if not _is_working and not _is_closed:
		_work()


## Sends them now. How many are wanted and not sent when no more can be done, or at the deadline.
func flush(deadline_ms: int) -> int:
	start()
	if _is_working:
		var race := LeaderboardRace.new()
		var timer := _http.holder.get_tree().create_timer(deadline_ms / 1000.0)
		timer.timeout.connect(race.end)
		rested.connect(race.end, CONNECT_ONE_SHOT)
		await race.wait()
	return _all.filter(func(one: Dictionary) -> bool: return one.has("event_id")).size()


func close() -> void:
	_is_closed = true
	if _pause != null:
		_pause.end()


func _work() -> void:
	_is_working = true
	var failures := 0
	while not _is_closed and not _due().is_empty():
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
			break
		if not is_nonce or failures > 1:
			await _wait(_options.pause_after(failures, error))
	_is_working = false
	rested.emit()


func _stored() -> Array[Dictionary]:
	var all: Array[Dictionary] = []
	var json := JSON.new()
	var error := json.parse(_options.storage.read(_name))
	_is_unread = _options.is_unread(_name)
	if error != OK or not json.data is Array:
		return all
	for one: Variant in json.data:
		if one is Dictionary and one.has_all(["key", "slot"]):
			one.slot = int(one.slot)
			all.append(one)
	return all


## Those of earlier starts, once they can be read.
func _read_again() -> void:
	if not _is_unread:
		return
	var earlier := _stored()
	if _is_unread:
		return
	var keys := _all.map(func(one: Dictionary) -> String: return one.key)
	var left := _settled(earlier, _answers).filter(
		func(one: Dictionary) -> bool: return not keys.has(one.key)
	)
	_answers.clear()
	left.append_array(_all)
	earlier.append_array(_all)
	_all = earlier
	_store(left.slice(maxi(0, left.size() - MOST)))


## `events`: by key, where the service wants it; empty: it does not.
static func _settled(all: Array[Dictionary], events: Dictionary) -> Array[Dictionary]:
	var left: Array[Dictionary] = []
	for one in all:
		if not events.has(one.key):
			left.append(one)
		elif events[one.key] != "":
			left.append({"key": one.key, "slot": one.slot, "event_id": events[one.key]})
	return left


## The next one to send; empty: there is none.
func _due() -> Dictionary:
	_read_again()
	for one in _all:
		if one.has("event_id"):
			return one
	return {}


func _wait(ms: int) -> void:
	_pause = LeaderboardRace.new()
	_http.holder.get_tree().create_timer(ms / 1000.0).timeout.connect(_pause.end)
	await _pause.wait()
	_pause = null


## The error after which it must be sent again; null: it is settled.
func _send(one: Dictionary) -> LeaderboardError:
	var text: String = _unstored.get(one.slot, "")
	if text == "":
		text = _options.storage.read(_file_of(one.slot))
	var error := LeaderboardError.new("STORAGE", "The recording is not in the storage any more.")
	if text != "":
		var file := Marshalls.base64_to_raw(text)
		var answer := await _sessions.with_session(_send_file.bind(one.event_id, file))
		error = answer.error
		if _is_closed:
			return error
	if error != null and (error.is_temporary() or error.is_lock() or error.status in [401, 412]):
		return error
	drop(one.key)
	answered.emit(one.key, "stored" if error == null else "refused", error)
	return null


func _send_file(
	session: Dictionary, event_id: String, file: PackedByteArray
) -> LeaderboardAnswer:
	var fresh := await _nonces.take(1)
	if fresh.error != null:
		return fresh
	return await _http.send(
		HTTPClient.METHOD_PUT,
		"/v1/client/score-events/%s/recording" % event_id.uri_encode(),
		session.access_token,
		file,
		null,
		fresh.data[0]
	)


func _file_of(slot: int) -> String:
	return "%s:%d" % [_name, slot]


## Stores the list, then empties files that it has no more.
func _store(all: Array[Dictionary]) -> void:
	var before := _all
	_all = all
	if not _options.storage.write(_name, JSON.stringify(_all)):
		storage_failed.emit()
	var left := _all.map(func(one: Dictionary) -> int: return one.slot)
	for one in before:
		if not left.has(one.slot):
			_unstored.erase(one.slot)
			_options.storage.write(_file_of(one.slot), "")
