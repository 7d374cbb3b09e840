class_name LeaderboardRunQueue
extends RefCounted
## Runs that wait, oldest first, in the storage that later starts of the game share.

signal dropped(run: Dictionary, error: LeaderboardError)
signal storage_failed

var _options: LeaderboardOptions
var _name: String
## As stored, and those that the storage did not take: these last as long as this process.
var _runs: Array[Dictionary] = []


func _init(options: LeaderboardOptions, name: String) -> void:
	_options = options
	_name = name
	var json := JSON.new()
	if json.parse(_options.storage.read(_name)) != OK or not json.data is Array:
		return
	for run: Variant in json.data:
		if run is Dictionary and run.has_all(["key", "board_id", "value"]):
			_runs.append(run)


func list() -> Array[Dictionary]:
	return _runs.duplicate()


## Stores a run; it is durable afterwards as far as the storage is. `sent`: keys of runs that are
## under way, which do not give way to new ones.
func add(run: Dictionary, sent: Dictionary) -> void:
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
