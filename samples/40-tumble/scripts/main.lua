-- A thousand crates, a car that drives into them, a bridge that swings, and a walker on it. The arrows drive, W, A, S and
-- D walk, Space jumps, B blasts the crates away.

local CRATE = 0.5               -- the side of a crate, in metres
local COLUMNS, ROWS, LAYERS = 10, 10, 10
local FORCE, BRAKES = 2600, 1500 -- of the car, in newton
local SPEED = 3                 -- of the walker, in metres a second

local state = { wheels = {}, steering = 0, crashes = 0, updates = 0 }

local function stack()
    local gap = CRATE * 1.02
    for number = 0, COLUMNS * ROWS * LAYERS - 1 do
        local column, row = number % COLUMNS, math.floor(number / COLUMNS) % ROWS
        local layer = math.floor(number / COLUMNS / ROWS)
        Entity.spawn("things/crate",
            Vector3(4 + column * gap, CRATE * (layer + 0.5), 2.7 + row * gap))
    end
end

function start()
    stack()
end

local function drive(step)
    local car = Entity.find("car")
    -- Physics makes a car in the update after its entity.
    if state.updates < 2 then return end
    for number = #state.wheels + 1, Vehicle.wheels(car) do
        state.wheels[number] = Entity.spawn("things/wheel", Vector3(0, -1, 0))
    end
    local throttle = Input.value("throttle")
    -- The wheels turn within a third of a second, not at once.
    local wanted = Input.value("steer") * 0.5
    state.steering = state.steering + (wanted - state.steering) * math.min(1, step * 6)
    local brakes = throttle == 0 and BRAKES * 0.1 or (throttle * Vehicle.speed(car) < -0.5 and BRAKES or 0)
    Vehicle.drive(car, state.steering, throttle * FORCE, brakes)
    for number, wheel in ipairs(state.wheels) do
        local at, turned = Vehicle.wheel(car, number)
        Transform.set_position(wheel, at)
        Transform.set_rotation(wheel, turned)
    end
end

local function walk()
    local walker = Entity.find("walker")
    Mover.walk(walker, Vector3(SPEED * Input.value("walk_x"), 0, SPEED * Input.value("walk_z")))
    if Input.pressed("jump") and Mover.is_grounded(walker) then Mover.jump(walker, 4) end
end

function update(step)
    state.updates = state.updates + 1
    drive(step)
    walk()
    if Input.pressed("blast") then Entity.spawn("things/blast", Vector3(6.5, 0.5, 5)) end
end

-- An effect of game.impacts is due: a game would play a sound here.
function impact(name, kind, entity, other, at, strength)
    if name ~= Physics.effect("crash") then return end
    if state.crashes == 0 then print("the tower is hit") end
    state.crashes = state.crashes + 1
end

function on_save() return state end
function on_load(saved) state = saved end
