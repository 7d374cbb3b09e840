extends VBoxContainer
## Submits a score and shows its rank and the board as it changes.

@export var url := "http://localhost:3000"
@export var game_id := ""
@export var board_id := ""
@export var player_name := "Ann"

var _watching: LeaderboardWatch

@onready var _message: Label = $Message
@onready var _board: Label = $Board


func _ready() -> void:
	var options := LeaderboardOptions.new()
	options.url = url
	options.game_id = game_id
	options.player_name = player_name
	options.platform = OS.get_name()
	Leaderboard.run_dropped.connect(_on_run_dropped)
	Leaderboard.open(options)
	_watching = Leaderboard.watch(board_id, 10)
	_watching.state.connect(_on_state)


func _exit_tree() -> void:
	_watching.stop()


func _on_play_pressed() -> void:
	var result: LeaderboardResult = await Leaderboard.submit(board_id, randi_range(0, 1000))
	if result.status == "ranked":
		_message.text = "Rank %d" % result.rank
	elif result.status == "queued":
		_message.text = "Saved. It is sent as soon as there is a connection."
	else:
		_message.text = "Not counted: " + result.error.message


func _on_run_dropped(run: Dictionary, error: LeaderboardError) -> void:
	_message.text = "%s does not count: %s" % [run.value, error.message]


func _on_state(board: Dictionary) -> void:
	var lines := PackedStringArray()
	for score: Dictionary in board.scores:
		lines.append("%d  %s  %s" % [score.rank, score.player_name, score.value])
	_board.text = "\n".join(lines)
