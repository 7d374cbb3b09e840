-- Errors are tables: `code`, `message`, `status` (0: no answer), `request_id`, `details`, `retry_after` in seconds.
-- Codes are the service's, and NETWORK, TIMEOUT, NOT_THE_SERVICE, CANCELLED, QUEUE_FULL and STORAGE.
local errors = {}

function errors.new(code, message, fields)
  local fault = fields or {}
  fault.code, fault.message, fault.status = code, message, fault.status or 0
  return fault
end

--- The error of an envelope of the service; nil: the body is none.
function errors.of(body, status, retry_after)
  if type(body) ~= "table" or type(body.error) ~= "string" or type(body.code) ~= "string" then return nil end
  return errors.new(body.code, body.error, {
    status = status, request_id = body.request_id, details = body.details, retry_after = retry_after,
  })
end

local WAYS = { NETWORK = true, TIMEOUT = true, NOT_THE_SERVICE = true }

--- True if no answer of the service arrived: it may have done what it was asked for.
function errors.is_unheard(fault)
  return WAYS[fault.code] == true
end

--- True if the same request may succeed later.
function errors.is_temporary(fault)
  return WAYS[fault.code] or fault.status == 408 or fault.status == 429 or fault.status >= 500
end

--- Refusals of the device or its account, which an administrator may lift: the runs wait.
function errors.is_locked(code)
  return code == "DEVICE_BLOCKED" or code == "ACCOUNT_SUSPENDED"
end

--- Seconds to wait after the nth failure in a row: what the service asks for, otherwise half to all of a growing span.
function errors.pause(failures, fault, retry)
  local most = math.min(retry.most, retry.first * 2 ^ math.min(failures - 1, 30))
  local asked = fault and fault.retry_after
  -- All were told to wait equally long, so they return one after the other.
  if asked then return asked + math.random() * retry.first end
  return most * (0.5 + math.random() / 2)
end

return errors
