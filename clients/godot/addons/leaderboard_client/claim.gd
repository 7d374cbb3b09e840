class_name LeaderboardClaim
extends RefCounted
## The state of a claim of a reward.

## - "claimed": the reward is the player's, and the members below are set.
## - "queued": it is stored and is sent until it is answered; `error` is the last failure, or null.
## - "refused": `error` says why; REWARD_GONE: it has expired or was revoked.
var status: String
var reward_id: String
## The service's record: id, line, title, grant, rank, status, …
var reward := {}
## True once for each reward on this installation: hand it out now.
var is_new := false
var error: LeaderboardError


static func queued(its_id: String, its_error: LeaderboardError) -> LeaderboardClaim:
	return _of("queued", its_id, its_error)


static func refused(its_id: String, its_error: LeaderboardError) -> LeaderboardClaim:
	return _of("refused", its_id, its_error)


static func claimed(its_reward: Dictionary, its_newness: bool) -> LeaderboardClaim:
	var claim := _of("claimed", str(its_reward.get("id", "")), null)
	claim.reward = its_reward
	claim.is_new = its_newness
	return claim


static func _of(
	its_status: String, its_id: String, its_error: LeaderboardError
) -> LeaderboardClaim:
	var claim := LeaderboardClaim.new()
	claim.status = its_status
	claim.reward_id = its_id
	claim.error = its_error
	return claim
