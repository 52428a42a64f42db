-- Writes the table `batches` as a line for each entry, for `batches.rs`: the function, `tag` or `component`, its name and
-- the columns, with tabs between; or `!` and what is wrong.
local list, lines = rawget(_G, 'batches'), {}
local known = { call = true, tag = true, component = true, columns = true }
local function wrong(why) lines[#lines + 1] = '!\t' .. why:gsub('%c', ' ') end
local function is_word(value) return type(value) == 'string' and value:find('^[^%c]+$') ~= nil end
local function read(entry, where)
    if type(entry) ~= 'table' then
        return where .. ' is a ' .. type(entry) .. '; write { call = "fall", tag = "leaf" }'
    end
    local unknown
    for key in pairs(entry) do
        local name = tostring(key)
        if not known[key] and (unknown == nil or name < unknown) then unknown = name end
    end
    if unknown ~= nil then
        return where .. ': the key `' .. unknown .. '` means nothing; the keys are call, tag, component, columns'
    end
    if not is_word(entry.call) then
        return where .. ': `call` is a ' .. type(entry.call) .. '; give the name of a global function, in quotes'
    end
    if (entry.tag == nil) == (entry.component == nil) then
        return where .. ': which entities is `' .. entry.call .. '` for? give either `tag` or `component`'
    end
    local kind = entry.tag ~= nil and 'tag' or 'component'
    if not is_word(entry[kind]) then
        return where .. ': `' .. kind .. '` is a ' .. type(entry[kind]) .. '; give a name, in quotes'
    end
    local columns = entry.columns
    if columns == nil then columns = 'position' end
    if type(columns) ~= 'string' or columns:find('%c') then
        return where .. ': `columns` is a ' .. type(columns) .. '; give words, such as "position rotation"'
    end
    lines[#lines + 1] = table.concat({ entry.call, kind, entry[kind], columns }, '\t')
end
if list ~= nil and type(list) ~= 'table' then
    wrong('`batches` is a ' .. type(list) .. '; write { { call = "fall", tag = "leaf" } }')
elseif list ~= nil then
    for at = 1, #list do
        local why = read(list[at], 'entry ' .. at .. ' of `batches`')
        if why then wrong(why) end
    end
    for key in pairs(list) do
        if type(key) ~= 'number' or key < 1 or key > #list then
            wrong('`batches` is a list, and has keys that are not from 1 to ' .. #list .. '; write its entries in braces each')
            break
        end
    end
end
return table.concat(lines, '\n')
