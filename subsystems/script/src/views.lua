-- Views are numbers, and this is what numbers do when they are indexed: a view gives its elements, others are refused.
local tools = ...
local type, slots, fail, refuse = tools.type, tools.slots, tools.fail, tools.refuse_view

-- Scripts do not see it: `getmetatable` gives false.
local meta = { __metatable = false }
tools.setmetatable(0, meta)

local function use_plain()
    meta.__index, meta.__newindex, meta.__len = tools.plain_get, tools.plain_set, tools.plain_len
end
use_plain()
if not tools.get then
    return use_plain
end

-- Compiled, an element is a load or a store of what the engine's state says. Whatever is not right, or not simple, goes
-- to the engine, which checks again. The state has addresses as numbers, in elements: a pointer that is read from a
-- structure would be an object where nothing is compiled.
local runtime, state, get, set, len = tools.runtime, tools.view_state, tools.get, tools.set, tools.len
local floats, doubles, ids = tools.floats, tools.doubles, tools.ids
local floor = tools.floor
local FLOATS, DOUBLES, IDS = 1, 2, 3

local entries = {}
for place = 0, 15 do
    entries[place] = state.entries[place]
end

local function index(view, key)
    if type(key) ~= "number" then return refuse(view, key) end
    local entry = entries[view - state.first]
    if entry and key >= 1 and key <= entry.len and floor(key) == key then
        local read = entry.read
        if read == FLOATS then
            state.last = key
            return floats[entry.begin + key]
        elseif read == DOUBLES then
            state.last = key
            return doubles[entry.begin + key]
        elseif read == IDS then
            state.last = key
            return ids[entry.begin + key] + entry.base
        end
    end
    local value = get(runtime, view, key)
    if value ~= value and slots.failed ~= 0 then return fail() end
    return value
end

local function new_index(view, key, value)
    if type(key) ~= "number" or type(value) ~= "number" then return refuse(view, key, value) end
    local entry = entries[view - state.first]
    if entry and key >= 1 and key <= entry.len and floor(key) == key then
        local write = entry.write
        if write == FLOATS then
            state.last = key
            floats[entry.begin + key] = value
            return
        elseif write == DOUBLES then
            state.last = key
            doubles[entry.begin + key] = value
            return
        end
    end
    local failed = set(runtime, view, key, value)
    if failed ~= failed then return fail() end
end

local function length(view)
    local count = len(runtime, view)
    if count ~= count then return fail() end
    return count
end

return function(is_compiled)
    if is_compiled then
        meta.__index, meta.__newindex, meta.__len = index, new_index, length
    else
        use_plain()
    end
end
