class_name LeaderboardFiles
extends RefCounted
## Keeps each text as a file: written to a temporary name, then renamed, so that a name's text is
## never half of one.

const FOLDER := "user://leaderboard-client"


## Empty: there is none.
func read(name: String) -> String:
	var file := _file_of(name)
	# The process was killed between the last two steps of a write.
	var found := file if FileAccess.file_exists(file) else file + ".new"
	return FileAccess.get_file_as_string(found) if FileAccess.file_exists(found) else ""


## False: the text was not stored.
func write(name: String, text: String) -> bool:
	if DirAccess.make_dir_recursive_absolute(FOLDER) != OK:
		return false
	var file := _file_of(name)
	var stream := FileAccess.open(file + ".new", FileAccess.WRITE)
	if stream == null:
		return false
	stream.store_string(text)
	stream.flush()
	var is_written := stream.get_error() == OK
	stream.close()
	return is_written and DirAccess.rename_absolute(file + ".new", file) == OK


func _file_of(name: String) -> String:
	return FOLDER.path_join(name.sha256_text())
