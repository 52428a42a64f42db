-- Ten blocks of a hundred people. A block walks, stops, looks around, turns, and walks on.

local SIDE, GAP = 10, 1.15 -- people of a block in a row, and metres between two
local COLORS = { "red", "blue", "gold", "white" }
local WALK, STAND, TURN = 9, 4.5, 1.2 -- seconds

local blocks = {}

local function make_block(number, x, z, facing)
    local block = { people = {}, time = number * 1.37 % (WALK + STAND), state = "stand", number = number }
    local turned = Quaternion.axis_angle(Vector3(0, 1, 0), facing)
    for row = 0, SIDE - 1 do
        for column = 0, SIDE - 1 do
            local color = COLORS[(row + column * 2 + number) % #COLORS + 1]
            local at = Vector3(x + (column - SIDE / 2) * GAP, 0, z + (row - SIDE / 2) * GAP)
            block.people[#block.people + 1] = Entity.spawn_turned("characters/" .. color, at, turned)
        end
    end
    return block
end

local function each(block, act)
    for number, person in ipairs(block.people) do act(person, number) end
end

-- What a block does next, and for how long.
local next_state = {
    stand = function(block)
        each(block, function(person) Animation.fade(person, "walk", 0.35) end)
        return "walk", WALK
    end,
    walk = function(block)
        each(block, function(person, number)
            Animation.fade(person, "idle", 0.4)
            if number % 3 == 0 then Animation.fade(person, "look", 0.3) end
            if number % 17 == 0 then Animation.fade(person, "wave", 0.3) end
        end)
        return "look", STAND
    end,
    look = function(block)
        each(block, function(person) Animation.fade(person, "turn_left", 0.2) end)
        return "turn", TURN
    end,
    turn = function(block)
        each(block, function(person) Animation.fade(person, "walk", 0.3) end)
        return "walk", WALK
    end,
}

function start()
    for number = 0, 9 do
        local x, z = (number % 5 - 2) * 15, math.floor(number / 5) * -18 + 4
        blocks[#blocks + 1] = make_block(number, x, z, math.pi / 2 * (number % 4))
    end
end

function update(step)
    for _, block in ipairs(blocks) do
        block.time = block.time - step
        if block.time <= 0 then
            local state, seconds = next_state[block.state](block)
            block.state, block.time = state, block.time + seconds
        end
    end
end

function on_save() return blocks end
function on_load(saved) blocks = saved end
