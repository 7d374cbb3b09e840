class_name LeaderboardRunQueue
extends RefCounted
## Runs that wait, oldest first, in the storage that later starts of the game share.

signal dropped(run: Dictionary, error: LeaderboardError)
signal storage_failed

var _options: LeaderboardOptions
var _name: String
## As stored, and those that the storage did not take: these last as long as this process.
var _runs: Array[Dictionary] = []
## The stored ones could not be read yet.
var _is_unread := false


func _init(options: LeaderboardOptions, name: String) -> void:
	_options = options
	_name = name
	_runs = _stored()


func list() -> Array[Dictionary]:
	_read_again()
	return _runs.duplicate()


## Stores a run; it is durable afterwards as far as the storage is. `sent`: keys of runs that are
## under way, which do not give way to new ones.
func add(run: Dictionary, sent: Dictionary) -> void:
	_read_again()
	_runs = _runs.filter(func(one: Dictionary) -> bool: return one.key != run.key)
	_runs.append(run)
	var old := _surplus(sent)
	_store()
	_drop(old)


## Drops the oldest runs beyond the limit: those that were under way when newer ones came.
func trim() -> void:
	if _runs.size() <= _options.queue_limit:
		return
	var old := _surplus({})
	_store()
	_drop(old)


func remove(keys: Dictionary) -> void:
	_runs = _runs.filter(func(run: Dictionary) -> bool: return not keys.has(run.key))
	_store()


func _stored() -> Array[Dictionary]:
	var runs: Array[Dictionary] = []
	var json := JSON.new()
	var error := json.parse(_options.storage.read(_name))
	_is_unread = _options.is_unread(_name)
	if error != OK or not json.data is Array:
		return runs
	for run: Variant in json.data:
		if run is Dictionary and run.has_all(["key", "board_id", "value"]):
			runs.append(run)
	return runs


## Those of earlier starts, once they can be read.
func _read_again() -> void:
	if not _is_unread:
		return
	var earlier := _stored()
	if _is_unread:
		return
	var keys := _runs.map(func(run: Dictionary) -> String: return run.key)
	earlier = earlier.filter(func(run: Dictionary) -> bool: return not keys.has(run.key))
	earlier.append_array(_runs)
	_runs = earlier
	_store()


## Takes the oldest ones beyond the limit out.
func _surplus(sent: Dictionary) -> Array[Dictionary]:
	var old: Array[Dictionary] = []
	for run: Dictionary in _runs.slice(0, -1):
		if _runs.size() - old.size() > _options.queue_limit and not sent.has(run.key):
			old.append(run)
	_runs = _runs.filter(func(run: Dictionary) -> bool: return not old.has(run))
	return old


func _drop(old: Array[Dictionary]) -> void:
	var text := "More than %d runs are waiting to be sent." % _options.queue_limit
	for run in old:
		dropped.emit(run, LeaderboardError.new("QUEUE_FULL", text))


func _store() -> void:
	if not _options.storage.write(_name, JSON.stringify(_runs, "", false, true)):
		storage_failed.emit()
