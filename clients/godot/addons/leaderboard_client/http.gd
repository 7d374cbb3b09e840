class_name LeaderboardHttp
extends RefCounted
## Requests of the service, and their answers as data or errors.

## Bytes a second of the slowest connection that sends a file.
const SLOWEST := 20_000.0

var options: LeaderboardOptions
## A node of the tree, which holds the requests.
var holder: Node


func _init(its_options: LeaderboardOptions, its_holder: Node) -> void:
	options = its_options
	holder = its_holder


## The answer's data is its JSON object. `body` is sent as JSON, a PackedByteArray as it is.
## `nonce` and `key` (idempotency key) are sent as headers.
func send(
	method: HTTPClient.Method,
	path: String,
	token: String,
	body: Variant = null,
	cancel: LeaderboardCancel = null,
	nonce := "",
	key := ""
) -> LeaderboardAnswer:
	if cancel != null and cancel.is_cancelled:
		return LeaderboardAnswer.failed(LeaderboardError.cancelled())
	var request := HTTPRequest.new()
	request.timeout = options.timeout_ms / 1000.0
	var file := PackedByteArray()
	if body is PackedByteArray:
		file = body
		request.timeout += file.size() / SLOWEST
	# The credential is meant for one address.
	request.max_redirects = 0
	holder.add_child(request)
	var race := LeaderboardRace.new()
	request.request_completed.connect(
		func(outcome: int, status: int, headers: PackedStringArray, bytes: PackedByteArray) -> void:
			race.end(_answer_of(outcome, status, headers, bytes))
	)
	var on_cancel := func() -> void: race.end(LeaderboardAnswer.failed(LeaderboardError.cancelled()))
	if cancel != null:
		cancel.cancelled.connect(on_cancel)
	var request_headers := headers_of(token, body != null and file.is_empty())
	if not file.is_empty():
		request_headers.append("content-type: application/octet-stream")
	elif body != null:
		file = JSON.stringify(body, "", false, true).to_utf8_buffer()
	if nonce != "":
		request_headers.append("%s-client-nonce: %s" % [options.header_prefix, nonce])
	if key != "":
		request_headers.append("idempotency-key: " + key)
	var fault := request.request_raw(address(path), request_headers, method, file)
	if fault != OK:
		race.end(LeaderboardAnswer.failed(LeaderboardError.new("NETWORK", error_string(fault))))
	var answer: LeaderboardAnswer = await race.wait()
	if cancel != null:
		cancel.cancelled.disconnect(on_cancel)
	request.cancel_request()
	request.queue_free()
	return answer


func address(path: String) -> String:
	return options.url.rstrip("/") + path


func headers_of(token: String, has_body: bool) -> PackedStringArray:
	var headers := PackedStringArray()
	if token != "":
		headers.append("authorization: Bearer " + token)
	if has_body:
		headers.append("content-type: application/json")
	return headers


## The query of an address; null members are left out, numbers are written as bodies have them.
static func query_of(members: Dictionary) -> String:
	var parts := PackedStringArray()
	for name: String in members:
		var value: Variant = members[name]
		if value != null:
			var text := str(value) if value is String else JSON.stringify(value, "", false, true)
			parts.append(name + "=" + text.uri_encode())
	return "" if parts.is_empty() else "?" + "&".join(parts)


func _answer_of(
	outcome: int, status: int, headers: PackedStringArray, bytes: PackedByteArray
) -> LeaderboardAnswer:
	if outcome == HTTPRequest.RESULT_TIMEOUT:
		var late := "No response within %d ms." % options.timeout_ms
		return LeaderboardAnswer.failed(LeaderboardError.new("TIMEOUT", late))
	if outcome != HTTPRequest.RESULT_SUCCESS:
		var text := "No response (HTTPRequest result %d)." % outcome
		return LeaderboardAnswer.failed(LeaderboardError.new("NETWORK", text))
	return read_answer(status, headers, bytes.get_string_from_utf8())


static func read_answer(
	status: int, headers: PackedStringArray, text: String
) -> LeaderboardAnswer:
	var json := JSON.new()
	var body: Variant = json.data if json.parse(text) == OK else null
	if status >= 200 and status < 300 and body is Dictionary:
		return LeaderboardAnswer.of(body)
	var error := LeaderboardError.of(body, status)
	if error == null:
		error = LeaderboardError.strange(status)
	for header in headers:
		if header.to_lower().begins_with("retry-after:"):
			error.retry_after = seconds_of(header.get_slice(":", 1).strip_edges())
	return LeaderboardAnswer.failed(error)


## Seconds of a `retry-after`: a number, as the service sends it, at most an hour; -1: none.
static func seconds_of(text: String) -> float:
	var digits := text.replace(".", "")
	var is_number := text.is_valid_float() and digits.is_valid_int() and text[0] not in "+-"
	return minf(text.to_float(), 3600.0) if is_number else -1.0
