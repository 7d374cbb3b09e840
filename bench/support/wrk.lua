-- Sends the requests of a file (traffic.ts) one after the other; with "again" as the second argument, over and over.
local file, requests, last
local k = 0

local function following()
  local length = file:read("*l")
  return length and file:read(tonumber(length))
end

function init(args)
  file = assert(io.open(args[1], "rb"))
  if args[2] ~= "again" then return end
  requests = {}
  for request in following do requests[#requests + 1] = request end
end

function request()
  if requests then
    k = k % #requests + 1
    return requests[k]
  end
  -- When all are spent the last one is sent again, whose refusal shows in the figures.
  last = following() or last
  return last
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'FIGURES {"requests":%d,"micros":%d,"refused":%d,"broken":%d,"late":%d,"p50":%d,"p95":%d,"p99":%d}\n',
    summary.requests, summary.duration, errors.status,
    errors.connect + errors.read + errors.write,
    -- An answer that came after more than two seconds (wrk's --timeout); it is among the requests, too.
    errors.timeout,
    latency:percentile(50), latency:percentile(95), latency:percentile(99)))
end
