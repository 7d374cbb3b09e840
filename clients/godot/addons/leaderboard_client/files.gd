class_name LeaderboardFiles
extends RefCounted
## Keeps each text as a file: written to a temporary name, then renamed, so that a name's text is
## never half of one. A text that can't be read for a moment is not taken for none: it is not
## overwritten before it was read.

const FOLDER := "user://leaderboard-client"

## Names whose last read failed though there is a file.
var _unread := {}


## Empty: there is none, or it can't be read now, as `is_unread` says.
func read(name: String) -> String:
	_unread.erase(name)
	var file := _file_of(name)
	# The second one: the process was killed between the last two steps of a write.
	for path: String in [file, file + ".new"]:
		var stream := FileAccess.open(path, FileAccess.READ)
		if stream == null:
			if FileAccess.get_open_error() == ERR_FILE_NOT_FOUND:
				continue
			_unread[name] = true
			return ""
		var text := stream.get_as_text()
		if not stream.get_error() in [OK, ERR_FILE_EOF]:
			_unread[name] = true
			return ""
		return text
	return ""


## True: the last read of the name failed, and nothing is written to it before one succeeds.
func is_unread(name: String) -> bool:
	return _unread.has(name)


## False: the text was not stored.
func write(name: String, text: String) -> bool:
	if _unread.has(name) or DirAccess.make_dir_recursive_absolute(FOLDER) != OK:
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
