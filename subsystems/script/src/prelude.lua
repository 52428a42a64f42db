-- What every script finds: modules, reloading, printing, the console; and what none should find is taken away.
local load_module, print_line, show, handler = ...

local debug, jit = debug, jit
local traceback, getupvalue, setupvalue = debug.traceback, debug.getupvalue, debug.setupvalue
local load, type, pairs, rawget, rawset, select = load, type, pairs, rawget, rawset, select
local error, xpcall, tostring, gcinfo = error, xpcall, tostring, gcinfo
local concat, gmatch = table.concat, string.gmatch

local modules, loading = {}, {}
local callback_names, callbacks = {}, {}

-- Runs a module's text and returns what it returns, or true.
local function run_module(name, level)
    local chunk, why = load_module(name)
    if not chunk then
        if why == "" then
            error("there is no module `" .. name .. "`; give the whole name of a resource of type `lua`", level + 1)
        end
        error(why, 0)
    end
    loading[name] = true
    local is_good, value = xpcall(chunk, handler, name)
    loading[name] = nil
    if not is_good then
        error(value, 0)
    end
    if value == nil then
        return true
    end
    return value
end

function require(name)
    if type(name) ~= "string" then
        error("require: the name of a module must be a string, and is a " .. type(name), 2)
    end
    local module = modules[name]
    if module ~= nil then
        return module
    end
    if loading[name] then
        error("the module `" .. name .. "` requires itself, by way of others perhaps; break the circle", 2)
    end
    module = run_module(name, 2)
    modules[name] = module
    return module
end

-- What was being loaded when memory ran out is not any more.
local function begin_loading()
    for name in pairs(loading) do
        loading[name] = nil
    end
end

local function resolve(path)
    local value = _G
    for step in gmatch(path, "[^.]+") do
        if type(value) ~= "table" then
            return nil
        end
        value = rawget(value, step)
    end
    if type(value) == "function" then
        return value
    end
    return nil
end

-- Callbacks are found by name again whenever scripts were loaded: false where there is none.
local function refresh()
    for index = 1, #callback_names do
        callbacks[index] = resolve(callback_names[index]) or false
    end
end

-- Functions of the new table point to the old one from now on, so that both see the same data.
local function redirect(value, old_of, seen)
    if seen[value] then
        return
    end
    seen[value] = true
    if type(value) == "function" then
        for index = 1, 255 do
            local name, held = getupvalue(value, index)
            if not name then
                break
            end
            if old_of[held] ~= nil then
                setupvalue(value, index, old_of[held])
            elseif type(held) == "function" then
                redirect(held, old_of, seen)
            end
        end
    elseif type(value) == "table" and old_of[value] then
        for _, held in pairs(value) do
            if type(held) == "function" or type(held) == "table" then
                redirect(held, old_of, seen)
            end
        end
    end
end

-- Pairs the tables of the new module with those of the old one that stand in the same place.
local function match(old, new, old_of)
    if old == new or old_of[new] then
        return
    end
    old_of[new] = old
    for key, value in pairs(new) do
        local before = rawget(old, key)
        if type(value) == "table" and type(before) == "table" then
            match(before, value, old_of)
        end
    end
    local old_meta, new_meta = debug.getmetatable(old), debug.getmetatable(new)
    if type(old_meta) == "table" and type(new_meta) == "table" then
        match(old_meta, new_meta, old_of)
    end
end

-- Functions are replaced, added and taken away; other values stay, and new ones are added.
local function replace(old, new, old_of)
    for key, value in pairs(old) do
        if type(value) == "function" and rawget(new, key) == nil then
            old[key] = nil
        end
    end
    for key, value in pairs(new) do
        if type(value) == "function" or rawget(old, key) == nil then
            rawset(old, key, old_of[value] or value)
        end
    end
end

local function reload(name)
    local old = modules[name]
    if old == nil then
        return false
    end
    begin_loading()
    local new = run_module(name, 1)
    if type(old) == "table" and type(new) == "table" and old ~= new then
        local old_of = {}
        match(old, new, old_of)
        redirect(new, old_of, {})
        for from, to in pairs(old_of) do
            replace(to, from, old_of)
        end
    else
        modules[name] = new
    end
    refresh()
    return true
end

local function describe(value)
    return type(value) == "number" and show(value) or tostring(value)
end

local function line_of(...)
    local parts = {}
    for index = 1, select("#", ...) do
        parts[index] = describe((select(index, ...)))
    end
    return concat(parts, "\t")
end

function print(...)
    print_line(line_of(...))
end

-- A line of the console: an expression, or statements.
local function evaluate(code)
    begin_loading()
    local chunk = load("return " .. code, "=console", "t")
    if not chunk then
        local why
        chunk, why = load(code, "=console", "t")
        if not chunk then
            error(why, 0)
        end
    end
    local line = line_of(chunk())
    refresh()
    return line
end

local function callback(name)
    for index = 1, #callback_names do
        if callback_names[index] == name then
            return index
        end
    end
    local index = #callback_names + 1
    -- In this order: a name without its function would be taken for one that is there.
    callbacks[index] = resolve(name) or false
    callback_names[index] = name
    return index
end

local function set_compiled(is_on)
    if is_on then
        jit.on()
    else
        jit.off()
        jit.flush()
    end
end

-- Bytecode is not verified: text alone is loaded. What reaches files, the process or memory is not for scripts.
function _G.load(chunk, name, _, ...)
    return load(chunk, name, "t", ...)
end
loadstring = _G.load
collectgarbage = function(what)
    if what ~= "count" then
        error("collectgarbage: the engine collects; `count` alone is told", 2)
    end
    return gcinfo()
end
local hidden = { debug = debug, jit = jit, globals = _G }
_G.debug = { traceback = traceback }
_G.jit, _G.ffi, _G.io, _G.os, _G.package, _G.module = nil, nil, nil, nil, nil, nil
_G.dofile, _G.loadfile, _G.gcinfo = nil, nil, nil
string.dump = nil

return {
    modules = modules,
    callbacks = callbacks,
    callback_names = callback_names,
    hidden = hidden,
    require = function(name)
        begin_loading()
        local module = require(name)
        refresh()
        return module
    end,
    refresh = refresh,
    reload = reload,
    evaluate = evaluate,
    callback = callback,
    set_compiled = set_compiled,
}
