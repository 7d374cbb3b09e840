class_name LeaderboardTickets
extends RefCounted
## Requests of tickets, and those that were fetched ahead, in the storage that later starts of the
## game share.

const PATH := "/v1/client/tickets"
## A player waits for the start of a run.
const START_MS := 5_000

var _options: LeaderboardOptions
var _http: LeaderboardHttp
var _sessions: LeaderboardSessions
## Tries a request again: `call(read, cancel, deadline_ms) -> LeaderboardAnswer`.
var _retried: Callable
## Where they are stored.
var _name: String
## The fetch that runs; others wait for it.
var _fetching: LeaderboardRace


func _init(
	http: LeaderboardHttp, sessions: LeaderboardSessions, retried: Callable, name: String
) -> void:
	_options = http.options
	_http = http
	_sessions = sessions
	_retried = retried
	_name = name


## A run with a ticket of the service, or one that was fetched ahead where it can't be reached.
func start(
	board_id: String, submit: Callable, more: Dictionary, cancel: LeaderboardCancel
) -> LeaderboardRun:
	var origin: int = _options.clock.elapsed()
	var deadline_ms: int = more.get("deadline_ms", START_MS)
	var ending := LeaderboardCancel.new()
	_http.holder.get_tree().create_timer(deadline_ms / 1000.0).timeout.connect(ending.cancel)
	if cancel != null:
		cancel.cancelled.connect(ending.cancel)
		if cancel.is_cancelled:
			ending.cancel()
	var body := {"board_id": board_id}
	if more.has("game_version"):
		body.game_version = more.game_version
	# With a ticket at hand nobody waits for a second attempt.
	var patience := deadline_ms if _good(board_id).is_empty() else 0
	var answer := await _asked(body, ending, patience)
	var ticket := {}
	var error := answer.error
	var is_late := ending.is_cancelled and (cancel == null or not cancel.is_cancelled)
	if error == null:
		ticket = answer.data.tickets[0]
	elif error.code == LeaderboardCodes.BAD_REQUEST:
		# The board has no tickets.
		error = null
	elif is_late:
		error = LeaderboardError.new("TIMEOUT", "No ticket within %d ms." % deadline_ms)
	if error != null and error.is_temporary():
		ticket = _take(board_id)
		error = null if not ticket.is_empty() else error
	var run := LeaderboardRun.new(board_id, submit, _options.clock, origin, ticket, error)
	if answer.error == null and answer.data.get("attempts_left") != null:
		run.attempts_left = int(answer.data.attempts_left)
	return run


## Fetches tickets until so many of the board are stored. Data: how many are.
func fetch(
	board_id: String, count: int, game_version: String, cancel: LeaderboardCancel
) -> LeaderboardAnswer:
	while _fetching != null:
		await _fetching.wait()
	_fetching = LeaderboardRace.new()
	var answer := await _fetched(board_id, count, game_version, cancel)
	var race := _fetching
	_fetching = null
	race.end(answer)
	return answer


func _fetched(
	board_id: String, count: int, game_version: String, cancel: LeaderboardCancel
) -> LeaderboardAnswer:
	var have := _good(board_id).size()
	if have >= count:
		return LeaderboardAnswer.of(have)
	var body := {"board_id": board_id, "count": count - have, "advance": true}
	if game_version != "":
		body.game_version = game_version
	var answer := await _asked(body, cancel, _options.deadline_ms)
	if answer.error != null:
		return answer
	var all := _good("")
	for ticket: Dictionary in answer.data.tickets:
		ticket.board_id = board_id
		all.append(ticket)
	if not _store(all):
		var text := "Failed to store the tickets."
		return LeaderboardAnswer.failed(LeaderboardError.new("STORAGE", text))
	return LeaderboardAnswer.of(have + answer.data.tickets.size())


## Its key makes the request safe to repeat.
func _asked(
	body: Dictionary, cancel: LeaderboardCancel, deadline_ms: int
) -> LeaderboardAnswer:
	var key := Crypto.new().generate_random_bytes(16).hex_encode()
	var send := func(session: Dictionary) -> LeaderboardAnswer:
		return await _http.send(
			HTTPClient.METHOD_POST, PATH, session.access_token, body, cancel, "", key
		)
	var ask := func() -> LeaderboardAnswer: return await _sessions.with_session(send)
	var answer: LeaderboardAnswer = await _retried.call(ask, cancel, deadline_ms)
	if answer.error == null and not answer.data.get("tickets") is Array:
		return LeaderboardAnswer.failed(LeaderboardError.strange(200))
	if answer.error == null and answer.data.tickets.is_empty():
		return LeaderboardAnswer.failed(LeaderboardError.strange(200))
	return answer


## Stored tickets of a board that are good by the device's clock; empty: of all boards.
func _good(board_id: String) -> Array[Dictionary]:
	var good: Array[Dictionary] = []
	var json := JSON.new()
	if json.parse(_options.storage.read(_name)) != OK or not json.data is Array:
		return good
	for ticket: Variant in json.data:
		if not ticket is Dictionary or not ticket.has_all(["board_id", "ticket", "expires_at"]):
			continue
		var is_wanted: bool = board_id == "" or ticket.board_id == board_id
		if is_wanted and _end_of(ticket) > int(_options.clock.now()):
			good.append(ticket)
	return good


## The stored ticket of a board that ends first, which no later start of the game gets; empty: there
## is none.
func _take(board_id: String) -> Dictionary:
	var good := _good(board_id)
	if good.is_empty():
		return {}
	good.sort_custom(
		func(one: Dictionary, other: Dictionary) -> bool: return _end_of(one) < _end_of(other)
	)
	var taken := good[0]
	var rest := _good("").filter(
		func(one: Dictionary) -> bool: return one.ticket != taken.ticket
	)
	# A ticket that stays stored could be used twice.
	return taken if _store(rest) else {}


## The client goes on as another player, who can't use them.
func drop() -> void:
	_store([])


func _store(all: Array[Dictionary]) -> bool:
	return _options.storage.write(_name, JSON.stringify(all, "", false, true))


## Milliseconds since 1970.
static func _end_of(ticket: Dictionary) -> int:
	return Time.get_unix_time_from_datetime_string(str(ticket.expires_at).left(19)) * 1000
