class_name LeaderboardNonces
extends RefCounted
## Nonces that were fetched ahead, the oldest first.

## Half of their life by default: its end is a time of the service's clock, which the device's
## clock may not share.
const GOOD_FOR_MS := 30_000
## Fetched beyond the need, so that the next submissions are one request.
const AHEAD := 4
const MOST := 100

var _sessions: LeaderboardSessions
var _clock: Object
## Pairs of nonce and moment.
var _stock: Array[Array] = []


func _init(sessions: LeaderboardSessions, clock: Object) -> void:
	_sessions = sessions
	_clock = clock


## Fetches some if there are none.
func prepare(cancel: LeaderboardCancel = null) -> LeaderboardAnswer:
	_drop_old()
	return await _fetch(AHEAD, cancel) if _stock.is_empty() else LeaderboardAnswer.of({})


## The answer's data: that many nonces, up to 100.
func take(count: int) -> LeaderboardAnswer:
	_drop_old()
	# All of one age: a run whose nonce is too old must not be overtaken by a later one of the same
	# request.
	if _stock.size() < count:
		var fetched := await _fetch(mini(count + AHEAD, MOST), null)
		if fetched.error != null:
			return fetched
	if _stock.size() < count:
		return LeaderboardAnswer.failed(LeaderboardError.strange(200))
	var taken := _stock.slice(0, count)
	_stock = _stock.slice(count)
	return LeaderboardAnswer.of(taken.map(func(pair: Array) -> String: return pair[0]))


## After one was refused, all are under suspicion.
func clear() -> void:
	_stock.clear()


func _drop_old() -> void:
	var oldest: int = _clock.elapsed() - GOOD_FOR_MS
	_stock = _stock.filter(func(pair: Array) -> bool: return pair[1] > oldest)


func _fetch(count: int, cancel: LeaderboardCancel) -> LeaderboardAnswer:
	var at: int = _clock.elapsed()
	var answer := await _sessions.read("/v1/client/nonce?count=%d" % count, cancel)
	if answer.error != null:
		return answer
	_stock.clear()
	for nonce: Dictionary in answer.data.get("nonces", [answer.data]):
		_stock.append([str(nonce.get("nonce_value", "")), at])
	return answer
