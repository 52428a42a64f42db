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

-- Foreign functions are quick where they are compiled, and slow elsewhere.
local runtime, get, set, len = tools.runtime, tools.get, tools.set, tools.len

local function index(view, key)
    if type(key) ~= "number" then return refuse(view, key) end
    local value = get(runtime, view, key)
    if value ~= value and slots.failed ~= 0 then return fail() end
    return value
end

local function new_index(view, key, value)
    if type(key) ~= "number" or type(value) ~= "number" then return refuse(view, key, value) end
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
