-- What is alive, by type, and by what it is held.
local hidden, modules = ...
local debug, globals = hidden.debug, hidden.globals
local getmetatable, getupvalue, getlocal = debug.getmetatable, debug.getupvalue, debug.getlocal
local getfenv, getinfo, getregistry = debug.getfenv, debug.getinfo, debug.getregistry
local type, rawget, next, pairs, tostring = type, rawget, next, pairs, tostring
local match, format, find, concat, sort = string.match, string.format, string.find, table.concat, table.sort

local is_object = { table = true, ["function"] = true, userdata = true, thread = true }

-- Names of classes: tables that are found by a name, in the globals or a module, and serve as metatables.
local function class_names()
    local names = {}
    for name, module in pairs(modules) do
        if type(module) == "table" then
            names[module] = tostring(name)
            for key, value in next, module do
                if type(key) == "string" and type(value) == "table" and not names[value] then
                    names[value] = key
                end
            end
        end
    end
    for name, value in next, globals do
        if type(name) == "string" and type(value) == "table" then
            names[value] = name
        end
    end
    return names
end

local function type_name(names, object)
    local meta = getmetatable(object)
    if type(meta) == "table" then
        return names[meta] or "object of a class without a name"
    end
    return type(object)
end

local function step_of(key)
    if type(key) == "string" and match(key, "^[%a_][%w_]*$") then
        return "." .. key
    elseif type(key) == "string" then
        return format("[%q]", key)
    end
    return "[" .. tostring(key) .. "]"
end

-- Visits everything that is held, the nearest first: calls visit(object, holder, step). Weak links hold nothing.
local function walk(visit, own)
    local seen, queue, first, last = {}, {}, 1, 0
    local function reach(object, holder, step)
        if is_object[type(object)] and not seen[object] and not own[object] then
            seen[object] = true
            last = last + 1
            queue[last] = object
            visit(object, holder, step)
        end
    end
    own[seen], own[queue], own[reach], own[visit], own[own] = true, true, true, true, true
    reach(globals, nil, "globals")
    reach(getregistry(), nil, "registry")
    reach(getmetatable(""), nil, "strings")
    while first <= last do
        local object = queue[first]
        queue[first] = nil
        first = first + 1
        local meta, kind = getmetatable(object), type(object)
        if meta then
            reach(meta, object, ".metatable()")
        end
        if kind == "table" then
            local mode = type(meta) == "table" and rawget(meta, "__mode") or ""
            mode = type(mode) == "string" and mode or ""
            local holds_keys, holds_values = not find(mode, "k"), not find(mode, "v")
            for key, value in next, object do
                if holds_values and is_object[type(value)] then
                    reach(value, object, step_of(key))
                end
                if holds_keys and is_object[type(key)] then
                    reach(key, object, ".key(" .. type(key) .. ")")
                end
            end
        elseif kind == "function" then
            for index = 1, 255 do
                local name, value = getupvalue(object, index)
                if not name then
                    break
                end
                reach(value, object, ".upvalue(" .. (name ~= "" and name or index) .. ")")
            end
        elseif kind == "thread" then
            for level = 0, 200 do
                local info = getinfo(object, level, "f")
                if not info then
                    break
                end
                reach(info.func, object, ".call(" .. level .. ")")
                for index = 1, 255 do
                    local name, value = getlocal(object, level, index)
                    if not name then
                        break
                    end
                    reach(value, object, ".local(" .. name .. ")")
                end
            end
        end
        if kind ~= "table" then
            local environment = getfenv(object)
            if environment then
                reach(environment, object, ".environment()")
            end
        end
    end
end

local inspect = {}

-- A line for each type: name, tab, how many.
function inspect.count()
    local names, counts, lines = class_names(), {}, {}
    walk(function(object)
        local name = type_name(names, object)
        counts[name] = (counts[name] or 0) + 1
    end, { [names] = true, [counts] = true, [lines] = true })
    for name, count in pairs(counts) do
        lines[#lines + 1] = { name, count }
    end
    sort(lines, function(a, b)
        if a[2] ~= b[2] then
            return a[2] > b[2]
        end
        return a[1] < b[1]
    end)
    for index, line in pairs(lines) do
        lines[index] = line[1] .. "\t" .. line[2] .. "\n"
    end
    return concat(lines)
end

-- A line for each of the first objects of a type: the shortest way by which it is held.
function inspect.paths(wanted, most)
    local names, holders, steps, lines = class_names(), {}, {}, {}
    walk(function(object, holder, step)
        holders[object], steps[object] = holder, step
        if #lines < most and type_name(names, object) == wanted then
            local parts, length = {}, 0
            local at = object
            while at ~= nil and length < 100 do
                length = length + 1
                parts[length] = steps[at]
                at = holders[at]
            end
            for index = 1, length / 2 do
                parts[index], parts[length + 1 - index] = parts[length + 1 - index], parts[index]
            end
            lines[#lines + 1] = concat(parts) .. "\n"
        end
    end, { [names] = true, [holders] = true, [steps] = true, [lines] = true })
    return concat(lines)
end

return inspect
