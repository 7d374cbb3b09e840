class_name LeaderboardWatch
extends RefCounted
## States of a board: the present one, then the newest after each change; or rewards of the player:
## the open ones, then each that is granted. Connects again when the connection breaks; a version
## that is not newer than the last one, and a reward that was shown, are left out.

## The service's record: version, entry_count, is_active, ends_at, scores (best first); of
## `watch_rank` and `watch_overtaken` what they say.
signal state(board: Dictionary)
## The service's record: id, line, title, grant, rank, status, …
signal reward(record: Dictionary)
## The watch is over: stopped (null), or an error that another attempt does not change.
signal ended(error: LeaderboardError)
## A failure after which it connects again.
signal trouble(error: LeaderboardError)

## Three heartbeats of the service.
const SILENCE_MS := 45_000
const ON_THE_WAY: Array[HTTPClient.Status] = [
	HTTPClient.STATUS_RESOLVING,
	HTTPClient.STATUS_CONNECTING,
	HTTPClient.STATUS_REQUESTING,
]

var _http: LeaderboardHttp
var _sessions: LeaderboardSessions
var _path: String
## "board", "rank", "overtaken" or "reward".
var _kind: String
var _version := -1
## The player of the last connection: versions of another one, whom the session acts for after a
## merge or sign-in, are not those of before.
var _player: Variant
## Ids of the rewards that were shown.
var _shown := {}
var _failures := 0
var _is_stopped := false
var _pause: LeaderboardRace
## Of the present connection, not yet taken.
var _bytes := PackedByteArray()


func _init(
	http: LeaderboardHttp, sessions: LeaderboardSessions, path: String, kind := "board"
) -> void:
	_kind = kind
	_http = http
	_sessions = sessions
	_path = path


func stop() -> void:
	_is_stopped = true
	if _pause != null:
		_pause.end()


func run() -> void:
	# The caller connects its signals first.
	await _http.holder.get_tree().process_frame
	while not _is_stopped:
		var answer := await _sessions.with_session(_read)
		if _is_stopped:
			break
		var error := answer.error
		if error == null:
			error = LeaderboardError.new("NETWORK", "The live stream ended.")
		# A refreshed session ends streams of its old token with 401, which a newer token answers.
		if not error.is_temporary() and not (error.status == 401 and _failures == 0):
			ended.emit(error)
			return
		_failures += 1
		trouble.emit(error)
		await _wait(_http.options.pause_after(_failures, error))
	ended.emit(null)


func _wait(ms: int) -> void:
	_pause = LeaderboardRace.new()
	_http.holder.get_tree().create_timer(ms / 1000.0).timeout.connect(_pause.end)
	await _pause.wait()
	_pause = null


## One connection, until it ends.
func _read(session: Dictionary) -> LeaderboardAnswer:
	var parts := RegEx.create_from_string("^(https?)://([^/:]+)(?::(\\d+))?(/.*)?$").search(
		_http.address(_path)
	)
	if parts == null:
		return LeaderboardAnswer.failed(LeaderboardError.new("NETWORK", "Invalid URL."))
	var is_safe := parts.get_string(1) == "https"
	var port := parts.get_string(3).to_int() if parts.get_string(3) != "" else -1
	var client := HTTPClient.new()
	var tls := TLSOptions.client() if is_safe else null
	if client.connect_to_host(parts.get_string(2), port, tls) != OK:
		return LeaderboardAnswer.failed(LeaderboardError.new("NETWORK", "Failed to connect."))
	var headers := _http.headers_of(session.access_token, false)
	headers.append("accept: text/event-stream")
	var is_own := _kind != "board" or _path.contains("around=me")
	if is_own and session.get("identity_id") != _player:
		_version = -1
	_player = session.get("identity_id")
	if _version >= 0:
		headers.append("last-event-id: %d" % _version)
	var answer := await _follow(client, parts.get_string(4), headers)
	client.close()
	return answer


func _follow(
	client: HTTPClient, path: String, headers: PackedStringArray
) -> LeaderboardAnswer:
	var clock := _http.options.clock
	var heard: int = clock.elapsed()
	var most := _http.options.timeout_ms
	var is_asked := false
	_bytes.clear()
	while not _is_stopped:
		client.poll()
		var status := client.get_status()
		if status == HTTPClient.STATUS_CONNECTED and not is_asked:
			is_asked = true
			client.request(HTTPClient.METHOD_GET, path, headers)
		elif status == HTTPClient.STATUS_BODY:
			var part := client.read_response_body_chunk()
			if not part.is_empty():
				heard = clock.elapsed()
				most = SILENCE_MS
				_bytes.append_array(part)
			var error := _take_events() if _is_stream(client) else null
			if error != null:
				return LeaderboardAnswer.failed(error)
		elif not status in ON_THE_WAY:
			break
		if clock.elapsed() - heard > most:
			return LeaderboardAnswer.failed(LeaderboardError.new("TIMEOUT", "No response in time."))
		await _http.holder.get_tree().process_frame
	if _is_stopped or _is_stream(client):
		return LeaderboardAnswer.of({})
	if not client.has_response():
		return LeaderboardAnswer.failed(LeaderboardError.new("NETWORK", "No response."))
	# A whole answer instead of a stream.
	var answer := LeaderboardHttp.read_answer(
		client.get_response_code(), client.get_response_headers(), _bytes.get_string_from_utf8()
	)
	if answer.error != null:
		return answer
	return LeaderboardAnswer.failed(LeaderboardError.strange(client.get_response_code()))


func _is_stream(client: HTTPClient) -> bool:
	if not client.has_response() or client.get_response_code() != 200:
		return false
	for header in client.get_response_headers():
		if header.to_lower().begins_with("content-type: text/event-stream"):
			return true
	return false


## Takes the whole events out of the bytes. The error that one brings; null: none.
func _take_events() -> LeaderboardError:
	var error: LeaderboardError
	var end := _end_of_event()
	while end >= 0 and error == null:
		error = _take_event(_bytes.slice(0, end).get_string_from_utf8())
		_bytes = _bytes.slice(end + 2)
		end = _end_of_event()
	return error


## Place of the first empty line; -1: there is none.
func _end_of_event() -> int:
	var at := _bytes.find(10)
	while at >= 0 and at + 1 < _bytes.size():
		if _bytes[at + 1] == 10:
			return at
		at = _bytes.find(10, at + 1)
	return -1


func _take_event(text: String) -> LeaderboardError:
	var name := "message"
	var data := PackedStringArray()
	for line in text.split("\n"):
		if line.begins_with("event:"):
			name = line.substr(6).strip_edges()
		elif line.begins_with("data:"):
			data.append(line.substr(5).strip_edges())
	if not name in [_kind, "error"]:
		return null
	var body: Variant = JSON.parse_string("\n".join(data))
	if name == "error":
		var error := LeaderboardError.of(body, _status_of(body))
		return LeaderboardError.strange(200) if error == null else error
	if not body is Dictionary or not body.has("id" if _kind == "reward" else "version"):
		return LeaderboardError.strange(200)
	_failures = 0
	if _kind == "reward":
		_show_reward(body)
	else:
		_show_state(body)
	return null


func _show_reward(body: Dictionary) -> void:
	if _shown.has(body.id) or _is_stopped:
		return
	_shown[body.id] = true
	reward.emit(body)


func _show_state(body: Dictionary) -> void:
	if int(body.get("version", -1)) > _version:
		_version = int(body.version)
		if not _is_stopped:
			state.emit(body)


## An error within a stream has no status of its own.
func _status_of(body: Variant) -> int:
	var code := str(body.get("code", "")) if body is Dictionary else ""
	if code in ["UNAVAILABLE", "INTERNAL", "ACCOUNT_MOVED"]:
		return 503
	if code == "RATE_LIMITED":
		return 429
	return 401 if code.contains("TOKEN") else 400
