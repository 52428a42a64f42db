-- Trees made and dropped, and texts of them: tables, closures, texts.
local function tree(depth)
    if depth == 0 then return { value = depth } end
    return { left = tree(depth - 1), right = tree(depth - 1), value = "depth " .. depth }
end
local function count(node)
    return node and 1 + count(node.left) + count(node.right) or 0
end
local nodes = 0
for turn = 1, 24 do
    nodes = nodes + count(tree(13))
    local texts = {}
    for at = 1, 4000 do texts[at] = turn .. ":" .. at end
    nodes = nodes + #table.concat(texts) % 2
end
print(nodes)
