class_name LeaderboardAnswer
extends RefCounted
## The result of a read: `data`, or an error.

## Null: there is none.
var error: LeaderboardError
## The service's record or list, as REST returns it; null with an error.
var data: Variant


static func of(its_data: Variant) -> LeaderboardAnswer:
	var answer := LeaderboardAnswer.new()
	answer.data = its_data
	return answer


static func failed(its_error: LeaderboardError) -> LeaderboardAnswer:
	var answer := LeaderboardAnswer.new()
	answer.error = its_error
	return answer
