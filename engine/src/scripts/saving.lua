-- What scripts keep in a saved game, as text: a letter for each kind of value.
--
--   n<number>;   b0 or b1   s<count of bytes>:<bytes in hexadecimal digits>   t<key><value>..e

local DEPTH_MAX = 64

local function written(value, out, path, depth)
    local kind = type(value)
    if kind == "number" then
        out[#out + 1] = string.format("n%.17g;", value)
    elseif kind == "boolean" then
        out[#out + 1] = value and "b1" or "b0"
    elseif kind == "string" then
        local digits = value:gsub(".", function(byte) return string.format("%02x", byte:byte()) end)
        out[#out + 1] = "s" .. #value .. ":" .. digits
    elseif kind == "table" then
        if depth == DEPTH_MAX then
            error("on_save: " .. path .. " is deeper than " .. DEPTH_MAX .. " tables; does it contain itself?", 0)
        end
        -- In the same order each time, so that the same state is the same text.
        local keys = {}
        for key in pairs(value) do
            local of = type(key)
            if of ~= "string" and of ~= "number" and of ~= "boolean" then
                error("on_save: " .. path .. " has a key that is a " .. of .. "; use texts and numbers", 0)
            end
            keys[#keys + 1] = key
        end
        table.sort(keys, function(a, b)
            if type(a) == type(b) and type(a) ~= "boolean" then return a < b end
            return type(a) .. tostring(a) < type(b) .. tostring(b)
        end)
        out[#out + 1] = "t"
        for _, key in ipairs(keys) do
            written(key, out, path, depth + 1)
            written(value[key], out, path .. "." .. tostring(key), depth + 1)
        end
        out[#out + 1] = "e"
    else
        error("on_save: " .. path .. " is a " .. kind .. ", which cannot be kept; keep what it is made from", 0)
    end
end

function loligo_saved_state()
    if type(on_save) ~= "function" then return "" end
    local state = on_save()
    if state == nil then return "" end
    local out = {}
    written(state, out, "the state", 0)
    return table.concat(out)
end

local function read(text, at, depth)
    local kind = text:sub(at, at)
    if kind == "n" then
        local last = text:find(";", at, true)
        local number = last and tonumber(text:sub(at + 1, last - 1))
        if not number then error("the state of the scripts is damaged", 0) end
        return number, last + 1
    elseif kind == "b" then
        return text:sub(at + 1, at + 1) == "1", at + 2
    elseif kind == "s" then
        local count, first = text:match("^s(%d+):()", at)
        local last = first and first + 2 * tonumber(count) - 1
        local digits = last and last <= #text and text:sub(first, last)
        if not digits or digits:find("[^%x]") then error("the state of the scripts is damaged", 0) end
        return (digits:gsub("%x%x", function(pair) return string.char(tonumber(pair, 16)) end)), last + 1
    elseif kind == "t" and depth <= DEPTH_MAX then
        local value = {}
        at = at + 1
        while text:sub(at, at) ~= "e" do
            local key
            key, at = read(text, at, depth + 1)
            value[key], at = read(text, at, depth + 1)
        end
        return value, at + 1
    end
    error("the state of the scripts is damaged", 0)
end

function loligo_load_state(text)
    if type(on_load) ~= "function" then
        if text ~= "" then
            print("the saved game has a state of the scripts, and they have no function on_load to take it")
        end
        return
    end
    if text == "" then return on_load(nil) end
    local state, rest = read(text, 1, 0)
    if rest ~= #text + 1 then error("the state of the scripts is damaged", 0) end
    on_load(state)
end
