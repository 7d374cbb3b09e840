-- SHA-256 as hexadecimal text, with the bit operations that the platform has: those of LuaJIT and Defold, of Lua 5.2, or the
-- operators of Lua 5.3; else with arithmetic, slowly.
local function library(name)
  local ok, found = pcall(require, name)
  return ok and type(found) == "table" and found or nil
end

local OPERATORS = [[
  return {
    band = function(a, b) return a & b end,
    bxor = function(a, b) return a ~ b end,
    rshift = function(a, n) return (a & 0xFFFFFFFF) >> n end,
  }]]

local function each_bit(result_of)
  return function(a, b)
    local result, bit = 0, 1
    while a > 0 or b > 0 do
      if result_of(a % 2, b % 2) then result = result + bit end
      a, b, bit = math.floor(a / 2), math.floor(b / 2), bit * 2
    end
    return result
  end
end

local function operations()
  local found = library("bit") or rawget(_G, "bit") or library("bit32") or rawget(_G, "bit32")
  if found then return found end
  local chunk = (loadstring or load)(OPERATORS)
  if chunk then return chunk() end
  return {
    band = each_bit(function(a, b) return a == 1 and b == 1 end),
    bxor = each_bit(function(a, b) return a ~= b end),
    rshift = function(a, n) return math.floor(a % 4294967296 / 2 ^ n) end,
  }
end

local bits = operations()
local band, bxor, rshift = bits.band, bits.bxor, bits.rshift

--- A whole number from 0 on: some libraries return signed ones.
local function whole(number) return number % 4294967296 end

local function turned(word, n)
  return whole(rshift(word, n) + (word % 2 ^ n) * 2 ^ (32 - n))
end

local ROUNDS, START = {}, {}
do
  local function fraction(root) return math.floor(root % 1 * 4294967296) end
  local n, primes = 1, {}
  while #primes < 64 do
    n = n + 1
    local is_prime = true
    for _, prime in ipairs(primes) do is_prime = is_prime and n % prime > 0 end
    if is_prime then
      primes[#primes + 1] = n
      -- A root by a power may be off by its last bits: one step of Newton's.
      local root = n ^ (1 / 3)
      root = root - (root * root * root - n) / (3 * root * root)
      ROUNDS[#primes] = fraction(root)
      if #primes <= 8 then START[#primes] = fraction(math.sqrt(n)) end
    end
  end
end

local function block(state, w)
  for i = 17, 64 do
    local x, y = w[i - 15], w[i - 2]
    local low = whole(bxor(bxor(turned(x, 7), turned(x, 18)), rshift(x, 3)))
    local high = whole(bxor(bxor(turned(y, 17), turned(y, 19)), rshift(y, 10)))
    w[i] = whole(w[i - 16] + low + w[i - 7] + high)
  end
  local a, b, c, d, e, f, g, h = state[1], state[2], state[3], state[4], state[5], state[6], state[7], state[8]
  for i = 1, 64 do
    local sum = whole(bxor(bxor(turned(e, 6), turned(e, 11)), turned(e, 25)))
    local choice = whole(bxor(g, band(e, whole(bxor(f, g)))))
    local first = h + sum + choice + ROUNDS[i] + w[i]
    sum = whole(bxor(bxor(turned(a, 2), turned(a, 13)), turned(a, 22)))
    local majority = whole(bxor(band(a, b), band(c, whole(bxor(a, b)))))
    h, g, f, e, d, c, b, a = g, f, e, whole(d + first), c, b, a, whole(first + sum + majority)
  end
  for i, word in ipairs({ a, b, c, d, e, f, g, h }) do state[i] = whole(state[i] + word) end
end

local function bytes_of(number, count)
  local text = ""
  for _ = 1, count do
    text = string.char(number % 256) .. text
    number = math.floor(number / 256)
  end
  return text
end

return function(bytes)
  local state = {}
  for i = 1, 8 do state[i] = START[i] end
  local text = bytes .. "\128" .. ("\0"):rep((55 - #bytes) % 64) .. bytes_of(#bytes * 8, 8)
  local w = {}
  for at = 1, #text, 64 do
    for i = 0, 15 do
      local a, b, c, d = text:byte(at + i * 4, at + i * 4 + 3)
      w[i + 1] = a * 16777216 + b * 65536 + c * 256 + d
    end
    block(state, w)
  end
  local parts = {}
  for i, word in ipairs(state) do
    parts[i] = ("%04x%04x"):format(math.floor(word / 65536), word % 65536)
  end
  return table.concat(parts)
end
