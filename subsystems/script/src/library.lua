-- Functions of Lua's library that scripts could end or freeze the game by, in a form that can be stopped and does not
-- recurse through C: there the stack is the engine's, and nobody looks at how much of it is left.
local scan, is_stopping = ...

local type, error, select, tostring, setmetatable, rawget = type, error, select, tostring, setmetatable, rawget
local concat, byte, sub, format = table.concat, string.byte, string.sub, string.format
local floor, tonumber = math.floor, tonumber

-- What `scan` is asked for.
local FIND, MATCH, PLAIN, NEXT, NEXT_ANCHORED = 0, 1, 2, 3, 4

-- How deep coroutines and error handlers may nest: each level takes a part of the C stack.
local DEPTH_MAX = 100

local function refuse(number, name, wanted, value)
    local is = value == nil and "no value" or type(value)
    error("bad argument #" .. number .. " to '" .. name .. "' (" .. wanted .. " expected, got " .. is .. ")", 4)
end

local function text_of(value, number, name)
    if type(value) == "string" then
        return value
    elseif type(value) == "number" then
        return tostring(value)
    end
    refuse(number, name, "string", value)
end

-- Returns the place from 0 on where a search begins.
local function start_of(init, text, number, name)
    if init == nil then
        return 0
    end
    local place = tonumber(init)
    if not place then
        refuse(number, name, "number", init)
    end
    place = place < 0 and #text + place or place - 1
    if not (place > 0) then
        return 0
    end
    return place < #text and floor(place) or #text
end

function string.find(text, pattern, init, is_plain)
    text, pattern = text_of(text, 1, "find"), text_of(pattern, 2, "find")
    return scan(text, pattern, start_of(init, text, 3, "find"), is_plain and PLAIN or FIND)
end

function string.match(text, pattern, init)
    text, pattern = text_of(text, 1, "match"), text_of(pattern, 2, "match")
    return scan(text, pattern, start_of(init, text, 3, "match"), MATCH)
end

function string.gmatch(text, pattern)
    text, pattern = text_of(text, 1, "gmatch"), text_of(pattern, 2, "gmatch")
    local place = 0
    local function advance(start, stop, ...)
        if not start then
            place = #text + 1
            return nil
        end
        -- An empty match is not found again.
        place = stop < start and stop + 1 or stop
        return ...
    end
    return function()
        if place > #text then
            return nil
        end
        return advance(scan(text, pattern, place, NEXT))
    end
end
string.gfind = string.gmatch

-- Cuts a replacement into texts and numbers of captures.
local function parts_of(replacement)
    local parts, text, place = {}, {}, 1
    while place <= #replacement do
        local code = byte(replacement, place)
        if code == 37 then
            place = place + 1
            local digit = byte(replacement, place)
            if digit and digit >= 48 and digit <= 57 then
                parts[#parts + 1] = concat(text)
                parts[#parts + 1] = digit - 48
                text = {}
            else
                text[#text + 1] = sub(replacement, place, place)
            end
        else
            text[#text + 1] = sub(replacement, place, place)
        end
        place = place + 1
    end
    parts[#parts + 1] = concat(text)
    return parts
end

local function filled(parts, whole, ...)
    local out, count = {}, select("#", ...)
    for index = 1, #parts do
        local part = parts[index]
        if type(part) == "number" then
            if part == 0 then
                part = whole
            elseif part > count then
                error("invalid capture index in the replacement: %" .. part, 4)
            else
                part = (select(part, ...))
            end
        end
        out[index] = part
    end
    return concat(out)
end

-- Returns what stands for a match: the replacement's own value, or the match itself.
local function replaced(replacement, parts, whole, ...)
    local value
    if parts then
        value = #parts == 1 and parts[1] or filled(parts, whole, ...)
    elseif type(replacement) == "table" then
        value = replacement[(...)]
    else
        value = replacement(...)
    end
    if not value then
        return whole
    elseif type(value) ~= "string" and type(value) ~= "number" then
        error("invalid replacement value (a " .. type(value) .. ")", 4)
    end
    return value
end

function string.gsub(text, pattern, replacement, most)
    text, pattern = text_of(text, 1, "gsub"), text_of(pattern, 2, "gsub")
    local kind, parts = type(replacement), nil
    if kind == "string" or kind == "number" then
        parts = parts_of(tostring(replacement))
    elseif kind ~= "table" and kind ~= "function" then
        refuse(3, "gsub", "string/function/table", replacement)
    end
    most = most == nil and #text + 1 or tonumber(most) or refuse(4, "gsub", "number", most)
    local mode = byte(pattern, 1) == 94 and NEXT_ANCHORED or NEXT
    local out, place, count, is_over = {}, 0, 0, false
    local function take(start, stop, ...)
        if not start then
            is_over = true
            return
        end
        count = count + 1
        out[#out + 1] = sub(text, place + 1, start - 1)
        out[#out + 1] = replaced(replacement, parts, sub(text, start, stop), ...)
        if stop >= start then
            place = stop
        else
            out[#out + 1] = sub(text, start, start)
            place = start
        end
        is_over = place > #text or mode == NEXT_ANCHORED
    end
    while count < most and not is_over do
        take(scan(text, pattern, place, mode))
    end
    out[#out + 1] = sub(text, place + 1)
    return concat(out), count
end

-- Values that say themselves what they are do so before, and not from within C.
local function told(value)
    if type(value) == "table" or type(value) == "userdata" then
        return tostring(value)
    end
    return value
end

local function told_all(count, value, ...)
    if count == 0 then
        return
    end
    return told(value), told_all(count - 1, ...)
end

function string.format(text, ...)
    local count = select("#", ...)
    for index = 1, count do
        local kind = type((select(index, ...)))
        if kind == "table" or kind == "userdata" then
            return format(text, told_all(count, ...))
        end
    end
    return format(text, ...)
end

-- A sort by merging: it keeps equal elements in their order, and what compares is called by Lua.
local function is_less(left, right)
    return left < right
end

local function merge(from, to, low, middle, high, before)
    local left, right = low, middle
    for place = low, high - 1 do
        if left < middle and (right >= high or not before(from[right], from[left])) then
            to[place] = from[left]
            left = left + 1
        else
            to[place] = from[right]
            right = right + 1
        end
    end
end

function table.sort(list, before)
    if type(list) ~= "table" then
        refuse(1, "sort", "table", list)
    elseif before ~= nil and type(before) ~= "function" then
        refuse(2, "sort", "function", before)
    end
    before = before or is_less
    local count = #list
    local from, to, width = {}, {}, 8
    for index = 1, count do
        from[index] = list[index]
    end
    for low = 1, count, width do
        for index = low + 1, low + width <= count and low + width - 1 or count do
            local value, place = from[index], index
            while place > low and before(value, from[place - 1]) do
                from[place] = from[place - 1]
                place = place - 1
            end
            from[place] = value
        end
    end
    while width < count do
        for low = 1, count, 2 * width do
            local middle, high = low + width, low + 2 * width
            merge(from, to, low, middle <= count and middle or count + 1, high <= count and high or count + 1, before)
        end
        from, to, width = to, from, 2 * width
    end
    for index = 1, count do
        list[index] = from[index]
    end
end

-- A text that is read in pieces is put together before it is compiled.
local load_text = load
local function load_pieces(chunk, ...)
    if type(chunk) ~= "function" then
        return load_text(chunk, ...)
    end
    local pieces = {}
    while true do
        local piece = chunk()
        if piece == nil or piece == "" then
            break
        elseif type(piece) ~= "string" then
            error("load: the function that gives the text must give strings, and gave a " .. type(piece), 2)
        end
        pieces[#pieces + 1] = piece
    end
    local name = ...
    return load_text(concat(pieces), name or "=(load)", select(2, ...))
end
load, loadstring = load_pieces, load_pieces

-- Coroutines: how deep each one that was resumed lies in those that resumed it.
local create, resume, running = coroutine.create, coroutine.resume, coroutine.running
local depths = setmetatable({}, { __mode = "k" })

local function descend(thread)
    local outer = running()
    local depth = (outer and depths[outer] or 0) + 1
    if depth > DEPTH_MAX then
        error("coroutines resume each other more than " .. DEPTH_MAX .. " deep; let them yield before", 3)
    end
    if depths[thread] ~= depth then
        depths[thread] = depth
    end
end

function coroutine.resume(thread, ...)
    if type(thread) == "thread" then
        descend(thread)
    end
    return resume(thread, ...)
end

local function pass_on(is_good, ...)
    if not is_good then
        error((...), 0)
    end
    return ...
end

function coroutine.wrap(work)
    local thread = create(work)
    return function(...)
        descend(thread)
        return pass_on(resume(thread, ...))
    end
end

-- Error handlers that fail are handled by C, which calls them again.
local protect = xpcall
local handlers = 0
local guards = setmetatable({}, { __mode = "k" })

local function guard_of(handler)
    local guard = guards[handler]
    if not guard then
        guard = function(...)
            handlers = handlers + 1
            -- A script that is stopped has no say in it: while it is, hooks are not called, and nothing would stop a handler.
            if handlers > DEPTH_MAX / 4 or is_stopping() then
                return ...
            end
            return handler(...)
        end
        guards[handler] = guard
    end
    return guard
end

local function restored(before, ...)
    handlers = before
    return ...
end

function xpcall(work, handler, ...)
    if type(handler) ~= "function" then
        return protect(work, handler, ...)
    end
    return restored(handlers, protect(work, guard_of(handler), ...))
end

-- With it, code of a script would run as finalizers, in which nothing can be stopped.
newproxy = nil

return function()
    handlers = 0
end
