class_name LeaderboardClock
extends RefCounted
## Milliseconds. The device's clock may be wrong: `now` is only compared with itself.


func now() -> int:
	return int(Time.get_unix_time_from_system() * 1000.0)


## Never goes back.
func elapsed() -> int:
	return Time.get_ticks_msec()
