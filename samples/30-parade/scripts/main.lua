-- Ten blocks of a hundred people. A block walks, stops, looks around, turns, and walks on: the script sets variables of
-- a state machine, characters/walker.machine, which plays the clips.

local SIDE, GAP = 10, 1.15 -- people of a block in a row, and metres between two
local COLORS = { "red", "blue", "gold", "white" }

-- What a block does after what, for how many seconds, with which variables.
local STATES = {
    walk = { next = "look", seconds = 9, walking = 1, turning = 0, looking = 0 },
    look = { next = "turn", seconds = 5, walking = 0, turning = 0, looking = 1 },
    turn = { next = "walk", seconds = 1.1, walking = 0, turning = 1, looking = 0 },
}

local blocks = {}

local function make_block(number, x, z, facing)
    local block = { people = {}, time = number * 1.37 % 9, state = "look", number = number }
    local turned = Quaternion.axis_angle(Vector3(0, 1, 0), facing)
    for place = 0, SIDE * SIDE - 1 do
        local row, column = math.floor(place / SIDE), place % SIDE
        local color = COLORS[(row + column * 2 + number) % #COLORS + 1]
        local at = Vector3(x + (column - SIDE / 2) * GAP, 0, z + (row - SIDE / 2) * GAP)
        local person = Entity.spawn_turned("characters/" .. color, at, turned)
        Animation.set(person, "pace", 0.8 + place * 7 % 10 * 0.04)
        block.people[#block.people + 1] = person
    end
    return block
end

local function begin(block, name)
    local state = STATES[name]
    block.state, block.time = name, block.time + state.seconds
    for number, person in ipairs(block.people) do
        Animation.set(person, "walking", state.walking)
        Animation.set(person, "turning", state.turning)
        -- Not all of them look around.
        Animation.set(person, "looking", number % 3 == 0 and state.looking or 0)
        if name == "look" and number % 17 == 5 then Animation.fade(person, "wave", 0.3) end
    end
end

function start()
    for number = 0, 9 do
        local x, z = (number % 5 - 2) * 15, math.floor(number / 5) * -18 + 4
        blocks[#blocks + 1] = make_block(number, x, z, math.pi / 2 * ((number + 2) % 4))
    end
end

function update(step)
    for _, block in ipairs(blocks) do
        block.time = block.time - step
        if block.time <= 0 then begin(block, STATES[block.state].next) end
    end
end

function on_save() return blocks end
function on_load(saved) blocks = saved end
