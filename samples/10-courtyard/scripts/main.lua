-- What moves in the courtyard. Change a number while it runs, and ask for a reload.

-- In this many seconds an hour passes on the clocks.
local HOUR = 24

local up, forward = nil, nil
local known = nil
-- Where each bird is at home, by its entity.
local homes = {}

-- Birds and wings are many: the engine calls each of these functions once a frame, for all of them.
batches = {
    { call = "move_birds", tag = "bird", columns = "position rotation" },
    { call = "flap_right", tag = "right_wing", columns = "rotation" },
    { call = "flap_left", tag = "left_wing", columns = "rotation" },
}

-- Finds what carries a tag, and where it is when the game starts.
local function gather(tag)
    local list = {}
    for number = 1, Tag.count(tag) do
        local entity = Tag.entity(tag, number)
        local x, y, z = Vector3.elements(Transform.position(entity))
        list[number] = { entity = entity, x = x, y = y, z = z }
    end
    return list
end

local function gather_all()
    known = {
        rings = gather("ring"),
        lanterns = gather("lantern"),
        hours = gather("hour_hand"),
        minutes = gather("minute_hand"),
        banners = gather("banner"),
        jets = gather("jet"),
    }
    for _, list in ipairs({ known.hours, known.minutes, known.banners }) do
        for _, part in ipairs(list) do
            part.turn = { Quaternion.elements(Transform.rotation(part.entity)) }
        end
    end
end

local function turned(part, rotation)
    local turn = part.turn
    local own = Quaternion(turn[1], turn[2], turn[3], turn[4])
    Transform.set_rotation(part.entity, Quaternion.multiply(own, rotation))
end

local function settle(bird, number, x, y, z)
    local reach = math.sqrt(x * x + z * z)
    local home = { number = number, y = y, reach = reach, angle = math.atan2(z, x), speed = (5 + number % 7 * 0.4) / reach }
    homes[bird] = home
    return home
end

function move_birds(birds, x, y, z, rx, ry, rz, rw)
    local time = Game.time()
    for i = 1, #birds do
        local home = homes[birds[i]] or settle(birds[i], i, x[i], y[i], z[i])
        local angle = home.angle + time * home.speed
        x[i], z[i] = math.cos(angle) * home.reach, math.sin(angle) * home.reach
        y[i] = home.y + math.sin(time * 0.7 + home.number) * 0.8
        -- Around the y axis by the angle, backwards.
        rx[i], ry[i], rz[i], rw[i] = 0, -math.sin(angle / 2), 0, math.cos(angle / 2)
    end
end

-- Half of the angle of a wing around its z axis.
local function flap(time, number)
    return math.sin(time * 9 + number) * 0.35
end

function flap_right(wings, rx, ry, rz, rw)
    local time = Game.time()
    for i = 1, #wings do
        local half = flap(time, i)
        rx[i], ry[i], rz[i], rw[i] = 0, 0, math.sin(half), math.cos(half)
    end
end

-- The left one is turned around by half a circle, y, before it flaps.
function flap_left(wings, rx, ry, rz, rw)
    local time = Game.time()
    for i = 1, #wings do
        local half = flap(time, i)
        rx[i], ry[i], rz[i], rw[i] = math.sin(half), math.cos(half), 0, 0
    end
end

local function move_clocks(time)
    local minute = Quaternion.axis_angle(forward, -time / HOUR * 2 * math.pi)
    local hour = Quaternion.axis_angle(forward, -(10 + time / HOUR) / 12 * 2 * math.pi)
    for _, hand in ipairs(known.minutes) do
        turned(hand, minute)
    end
    for _, hand in ipairs(known.hours) do
        turned(hand, hour)
    end
end

function start()
    known, homes = nil, {}
end

function update(step)
    local time = Game.time()
    -- Vectors live for a frame.
    up, forward = Vector3(0, 1, 0), Vector3(0, 0, 1)
    if known == nil then
        gather_all()
    end
    for number, ring in ipairs(known.rings) do
        local speed = (number % 2 == 0) and -0.5 or 0.35
        Transform.set_rotation(ring.entity, Quaternion.axis_angle(up, time * speed * (1 + number * 0.2)))
    end
    for number, lantern in ipairs(known.lanterns) do
        Transform.set_xyz(lantern.entity, lantern.x, lantern.y + math.sin(time * 0.9 + number) * 0.35, lantern.z)
    end
    for number, banner in ipairs(known.banners) do
        turned(banner, Quaternion.axis_angle(Vector3(1, 0, 0), math.sin(time * 1.3 + number) * 0.08 + 0.05))
    end
    for number, jet in ipairs(known.jets) do
        local high = 1.4 + math.sin(time * 3 + number * 0.8) * 0.25
        Transform.set_scale(jet.entity, Vector3(1.3, high, 1.3))
    end
    move_clocks(time)
end
