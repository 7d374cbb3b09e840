# gdlint:ignore=max-public-methods
# This autoload is a game's one door to the service.
extends Node
## The service as one player of one game uses it: the autoload `Leaderboard`.
##
## Await every function except `open`, `watch`, `watch_rewards` and `waiting`. None throws or
## blocks.

## Each run that is answered: "ranked" or "refused", also runs of an earlier start of the game.
signal run_answered(result: LeaderboardResult)
## Each run that leaves the queue without being counted: refused, or the oldest of a full queue.
signal run_dropped(run: Dictionary, error: LeaderboardError)
## Each claim of a reward that is answered: "claimed" or "refused", also of an earlier start of the
## game. Hand it out if `is_new`.
signal claim_answered(result: LeaderboardClaim)
## Each recording that is "stored", or "refused" with an error, also of an earlier start of the
## game.
signal recording_answered(key: String, status: String, error: LeaderboardError)
## Failures that the client survives: of the storage, and those after which it tries again.
signal trouble(error: LeaderboardError)

const SCORES := "/v1/client/scores"
## Members of a run that `more` of a submission may have.
const MORE: Array[String] = [
	"player_name",
	"value_display",
	"metadata",
	"tags",
	"run_ms",
	"splits",
	"ticket",
	"idle_ms",
	"recording_hash",
]

## Friends, tags, proofs and link codes of the player.
var players: LeaderboardPlayers

var _options: LeaderboardOptions
var _http: LeaderboardHttp
var _sessions: LeaderboardSessions
var _nonces: LeaderboardNonces
var _queue: LeaderboardRunQueue
var _sender: LeaderboardSender
var _claims: LeaderboardClaims
var _recordings: LeaderboardRecordings
var _tickets: LeaderboardTickets


## Once, at the start of the game. Runs and claims that wait in the storage are sent.
func open(options: LeaderboardOptions) -> void:
	_options = options
	_http = LeaderboardHttp.new(options, self)
	var start := "leaderboard:" + options.game_id
	var device := options.device if options.device != "" else _device(start + ":device")
	var place := "%s:%s%s" % [start, device, ":test" if options.test_mode else ""]
	_sessions = LeaderboardSessions.new(options, _http, device, place + ":session")
	_nonces = LeaderboardNonces.new(_sessions, options.clock)
	_queue = LeaderboardRunQueue.new(options, place + ":runs")
	_recordings = LeaderboardRecordings.new(_http, _sessions, _nonces, place + ":recordings")
	_recordings.storage_failed.connect(_on_storage_failed)
	_recordings.answered.connect(
		func(key: String, status: String, error: LeaderboardError) -> void:
			recording_answered.emit(key, status, error)
	)
	_recordings.trouble.connect(func(error: LeaderboardError) -> void: trouble.emit(error))
	_sender = LeaderboardSender.new(_http, _sessions, _nonces, _queue, _recordings)
	_sessions.storage_failed.connect(_on_storage_failed)
	_queue.storage_failed.connect(_on_storage_failed)
	_queue.dropped.connect(_on_dropped)
	_sender.dropped.connect(_on_dropped)
	_sender.answered.connect(func(result: LeaderboardResult) -> void: run_answered.emit(result))
	_sender.trouble.connect(func(error: LeaderboardError) -> void: trouble.emit(error))
	_claims = LeaderboardClaims.new(_http, _sessions, _nonces, place + ":claims")
	_claims.storage_failed.connect(_on_storage_failed)
	_claims.answered.connect(func(result: LeaderboardClaim) -> void: claim_answered.emit(result))
	_claims.trouble.connect(func(error: LeaderboardError) -> void: trouble.emit(error))
	_tickets = LeaderboardTickets.new(_http, _sessions, _retried, place + ":tickets")
	var calls := {
		"retried": _retried,
		"flush": flush,
		"send_all": _send_all,
		"other_player": _tickets.drop,
		"waits": _waits,
	}
	players = LeaderboardPlayers.new(_http, _sessions, _nonces, calls)
	_sender.start()
	_claims.start()
	_recordings.start()


## Ends all work. Waiting runs, claims and recordings stay stored; what waits for an answer ends as
## "queued".
func close() -> void:
	_sender.close()
	_claims.close()
	_recordings.close()


## Stores a run and sends it until it is answered. "queued" at the deadline or when cancelled: the
## run stays stored and is still sent, by this or a later start of the game. `more` may have
## player_name, value_display, metadata, tags (values of the tags that the board declares, by name),
## key (idempotency key) and deadline_ms; a LeaderboardRun brings its times, too.
func submit(
	board_id: String, value: float, more := {}, cancel: LeaderboardCancel = null
) -> LeaderboardResult:
	var run := {"board_id": board_id, "value": value, "created_at": _options.clock.now()}
	run.key = more.get("key", _random_key())
	if _options.player_name != "":
		run.player_name = _options.player_name
	var age: Variant = _sessions.age()
	if age != null:
		run.session_ms = age
	for name: String in MORE:
		if more.has(name):
			run[name] = more[name]
	if not is_finite(value):
		var text := "The value must be a finite number."
		return LeaderboardResult.refused(run, LeaderboardError.new("VALIDATION_FAILED", text))
	if more.has("refusal"):
		return LeaderboardResult.refused(run, more.refusal)
	var keep := Callable()
	if more.has("recording"):
		keep = _recordings.keep.bind(run.key, more.recording)
	var limit: int = more.get("deadline_ms", _options.deadline_ms)
	return await _sender.submit(run, limit, cancel, keep)


## Starts a run: gets its ticket, or one that was fetched ahead where the service can't be reached.
## `counts` and `error` of the run say if it has one. `more` may have game_version (up to 32 bytes,
## stored with the run) and deadline_ms for the ticket, retries included (5 seconds by default).
func start_run(
	board_id: String, more := {}, cancel: LeaderboardCancel = null
) -> LeaderboardRun:
	return await _tickets.start(board_id, submit, more, cancel)


## Fetches tickets for runs without a connection until so many of the board are stored: up to its
## `advance`. Call it while there is a connection, for example at each start of the game. Where
## attempts are limited, each takes one. Data: how many are stored. Errors: BAD_REQUEST (the board
## has no tickets, or not so many), ATTEMPTS_USED_UP.
func fetch_tickets(
	board_id: String, count: int, game_version := "", cancel: LeaderboardCancel = null
) -> LeaderboardAnswer:
	return await _tickets.fetch(board_id, count, game_version, cancel)


## Claims a reward and sends it until it is answered; safe to repeat. "queued" at the deadline
## (`deadline_ms` in `more`) or when cancelled: the claim stays stored.
func claim(
	reward_id: String, more := {}, cancel: LeaderboardCancel = null
) -> LeaderboardClaim:
	return await _claims.claim(reward_id, more.get("deadline_ms", _options.deadline_ms), cancel)


## Rewards of the player, open ones first, page by page, as `scores`.
func rewards(limit := 20) -> LeaderboardPages:
	return LeaderboardPages.new(
		func(cursor: String, cancel: LeaderboardCancel) -> LeaderboardAnswer:
			var query := {"limit": limit, "cursor": null if cursor == "" else cursor}
			return await _get("/v1/client/rewards" + LeaderboardHttp.query_of(query), cancel)
	)


## Shows each open reward of the player, then each that is granted, until `stop()`: signal `reward`.
func watch_rewards() -> LeaderboardWatch:
	var path := "/v1/client/rewards/live"
	return _watched(LeaderboardWatch.new(_http, _sessions, path, "reward"))


## Sends waiting runs, claims and recordings now. The number of runs that still wait when no more
## can be done or the deadline is over.
func flush(deadline_ms := -1) -> int:
	_claims.start()
	_recordings.start()
	_sender.start()
	if _sender.is_working:
		var race := LeaderboardRace.new()
		var limit := deadline_ms if deadline_ms >= 0 else _options.deadline_ms
		get_tree().create_timer(limit / 1000.0).timeout.connect(race.end)
		_sender.rested.connect(race.end, CONNECT_ONE_SHOT)
		await race.wait()
	return _queue.list().size()


## Sends runs and recordings that wait: afterwards they could count for another player, or be
## refused. A temporary error: some still wait; INVALID_REFRESH_TOKEN: the session has ended; null:
## none does.
func _send_all() -> LeaderboardError:
	var runs := await flush()
	if runs == 0 and await _recordings.flush(_options.deadline_ms) == 0:
		return null
	var failure := _sender.failure if runs > 0 else _recordings.failure
	if failure != null and (failure.is_temporary() or failure == _sessions.refusal):
		return failure
	var text := "Runs or recordings of the player still wait to be sent."
	return LeaderboardError.new("TIMEOUT", text if failure == null else failure.message)


## True: runs, or recordings that are wanted, wait.
func _waits() -> bool:
	return not _queue.list().is_empty() or await _recordings.flush(0) > 0


## Runs that wait, oldest first.
func waiting() -> Array[Dictionary]:
	return _queue.list()


## Starts or resumes the session. Data: identity_id, display_name (null: none is known), and
## merge_refused: the code of why the merge that the option proof asked for (on_conflict "merge")
## did not begin; the session goes on as the proven player, the other one stays as it is, and
## `players.prove` tries again. Null: nothing kept it from beginning.
func player(cancel: LeaderboardCancel = null) -> LeaderboardAnswer:
	return LeaderboardSessions.player_of(await _retried(_sessions.get_session, cancel))


## Plays as the player whose session the game server started
## (`POST /v1/identities/{identity_id}/sessions`), for games with a login of their own: `tokens` is
## what the server got. Call it before anything else, and again when a call fails with
## INVALID_REFRESH_TOKEN: the session has ended, and no other one is started in its place. Runs wait
## until then. Use its own `device` in the options for each player. Data as of `player`; the error
## CONFLICT: the session stored for this `device` is that of another player, who isn't merged with
## this one.
func session(tokens: Dictionary) -> LeaderboardAnswer:
	var given := await _sessions.give(tokens)
	if given.error != null:
		return given
	_nonces.clear()
	_sender.start()
	_claims.start()
	return LeaderboardSessions.player_of(given)


## Session and nonces ahead, for example when a run is about to end.
func prepare(cancel: LeaderboardCancel = null) -> LeaderboardAnswer:
	return await _retried(func() -> LeaderboardAnswer: return await _nonces.prepare(cancel), cancel)


## A page of the board from the top. Data: `data`, a list of scores, and `pagination`, whose
## next_cursor is that of the next page.
func top(
	board_id: String, limit := 20, cursor := "", cancel: LeaderboardCancel = null
) -> LeaderboardAnswer:
	var query := _query(board_id, limit)
	if cursor != "":
		query.cursor = cursor
	return await _get(SCORES + LeaderboardHttp.query_of(query), cancel)


## The board from the top, page by page: `next()` of the answer is awaited.
func scores(board_id: String, limit := 20) -> LeaderboardPages:
	return LeaderboardPages.new(
		func(cursor: String, cancel: LeaderboardCancel) -> LeaderboardAnswer:
			return await top(board_id, limit, cursor, cancel)
	)


## Boards of the game and published ones of its studio, page by page, as `scores`.
func boards(limit := 20) -> LeaderboardPages:
	return LeaderboardPages.new(
		func(cursor: String, cancel: LeaderboardCancel) -> LeaderboardAnswer:
			var query := {"limit": limit, "cursor": null if cursor == "" else cursor}
			return await _get("/v1/client/boards" + LeaderboardHttp.query_of(query), cancel)
	)


## Data: a board, as the service's REST interface has it.
func board(board_id: String, cancel: LeaderboardCancel = null) -> LeaderboardAnswer:
	return await _get("/v1/client/boards/" + board_id.uri_encode(), cancel)


## Data: the player's score, the best one where every run is kept; null: there is none.
func mine(board_id: String, cancel: LeaderboardCancel = null) -> LeaderboardAnswer:
	var query := _query(board_id, 1)
	query.identity_id = "me"
	var answer := await _get(SCORES + LeaderboardHttp.query_of(query), cancel)
	if answer.error != null:
		return answer
	var own: Array = answer.data.get("data", [])
	return LeaderboardAnswer.of(null if own.is_empty() else own[0])


## The entries around the player's score: a page like that of `top`, and `mine`. Without a score,
## the page is empty and `mine` is null.
func around(
	board_id: String, limit := 20, cancel: LeaderboardCancel = null
) -> LeaderboardAnswer:
	var own := await mine(board_id, cancel)
	if own.error != null:
		return own
	if own.data == null:
		return LeaderboardAnswer.of({"data": [], "pagination": {}, "mine": null})
	var query := _query(board_id, limit)
	query.around_score_id = own.data.id
	var answer := await _get(SCORES + LeaderboardHttp.query_of(query), cancel)
	if answer.error == null:
		answer.data.mine = own.data
		for score: Dictionary in answer.data.data:
			if score.id == own.data.id:
				answer.data.mine = score
	return answer


## The entries around a hypothetical value, which is the entry with is_placeholder.
func around_value(
	board_id: String, value: float, limit := 20, cancel: LeaderboardCancel = null
) -> LeaderboardAnswer:
	var query := _query(board_id, limit)
	query.around_score_value = value
	return await _get(SCORES + LeaderboardHttp.query_of(query), cancel)


## Shows each change of a board until `stop()`. `window`: a score, a player, or "me", around which
## the window stays; by default it begins at the top.
func watch(board_id: String, limit := 20, window := "") -> LeaderboardWatch:
	var query := {"limit": limit, "around": null if window == "" else window}
	query.is_test = "true" if _options.test_mode else null
	var path := "/v1/client/boards/%s/live" % board_id.uri_encode()
	return _watched(LeaderboardWatch.new(_http, _sessions, path + LeaderboardHttp.query_of(query)))


## The player's own rank until `stop()`, after each change of rank, value, name or the next player
## above. The signal `state` has entry (null: not ranked), previous_rank, next_above, gap_to_next
## and total_count.
func watch_rank(board_id: String) -> LeaderboardWatch:
	var query := {"is_test": "true" if _options.test_mode else null}
	var path := "/v1/client/boards/%s/rank/live" % board_id.uri_encode()
	path += LeaderboardHttp.query_of(query)
	return _watched(LeaderboardWatch.new(_http, _sessions, path, "rank"))


## Players who overtake the client's own, until `stop()`: the signal `state` has entry,
## previous_rank, by (best first, at most ten), count and total_count. The first state has the rank
## and nobody in by.
func watch_overtaken(board_id: String) -> LeaderboardWatch:
	var path := "/v1/client/boards/%s/overtaken/live" % board_id.uri_encode()
	return _watched(LeaderboardWatch.new(_http, _sessions, path, "overtaken"))


## The game returns to the foreground.
func _notification(what: int) -> void:
	if what == NOTIFICATION_APPLICATION_RESUMED and _sender != null:
		_sender.start()
		_claims.start()
		_recordings.start()


func _watched(watching: LeaderboardWatch) -> LeaderboardWatch:
	watching.trouble.connect(func(error: LeaderboardError) -> void: trouble.emit(error))
	watching.run()
	return watching


func _query(board_id: String, limit: int) -> Dictionary:
	var query := {"board_id": board_id, "limit": limit}
	if _options.test_mode:
		query.is_test = "true"
	return query


func _get(path: String, cancel: LeaderboardCancel) -> LeaderboardAnswer:
	return await _retried(
		func() -> LeaderboardAnswer: return await _sessions.read(path, cancel), cancel
	)


## Tries a read again after temporary failures, within the deadline: by default that of the options.
func _retried(
	read: Callable, cancel: LeaderboardCancel, deadline_ms := -1
) -> LeaderboardAnswer:
	var race := LeaderboardRace.new()
	if cancel != null:
		var stop := func() -> void: race.end(LeaderboardAnswer.failed(LeaderboardError.cancelled()))
		cancel.cancelled.connect(stop)
		if cancel.is_cancelled:
			stop.call()
	_try(read, race, deadline_ms if deadline_ms >= 0 else _options.deadline_ms)
	return await race.wait()


func _try(read: Callable, race: LeaderboardRace, deadline_ms: int) -> void:
	var end: int = _options.clock.elapsed() + deadline_ms
	var failures := 0
	while not race.is_over:
		var answer: LeaderboardAnswer = await read.call()
		failures += 1
		var is_final := answer.error == null or not answer.error.is_temporary()
		var pause := 0 if is_final else _options.pause_after(failures, answer.error)
		if is_final or _options.clock.elapsed() + pause > end:
			race.end(answer)
		else:
			await get_tree().create_timer(pause / 1000.0).timeout


## The name of this installation, made at its first start.
func _device(name: String) -> String:
	var stored: String = _options.storage.read(name)
	if stored != "":
		return stored
	var made := _random_key()
	if not _options.storage.write(name, made):
		_on_storage_failed()
	return made


func _random_key() -> String:
	return Crypto.new().generate_random_bytes(16).hex_encode()


func _on_dropped(run: Dictionary, error: LeaderboardError) -> void:
	_recordings.drop(run.key)
	run_dropped.emit(run, error)


func _on_storage_failed() -> void:
	trouble.emit(LeaderboardError.new("STORAGE", "Failed to write a file."))
