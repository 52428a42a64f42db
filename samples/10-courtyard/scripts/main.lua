-- What moves in the courtyard. Change a number while it runs, and ask for a reload.

-- In this many seconds an hour passes on the clocks.
local HOUR = 24

local up, forward = nil, nil
local known = nil

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
        birds = gather("bird"),
        left = gather("left_wing"),
        right = gather("right_wing"),
        hours = gather("hour_hand"),
        minutes = gather("minute_hand"),
        banners = gather("banner"),
        jets = gather("jet"),
    }
    for number, bird in ipairs(known.birds) do
        bird.reach = math.sqrt(bird.x * bird.x + bird.z * bird.z)
        bird.angle = math.atan2(bird.z, bird.x)
        bird.speed = (5 + number % 7 * 0.4) / bird.reach
    end
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

local function move_birds(time)
    for number, bird in ipairs(known.birds) do
        local angle = bird.angle + time * bird.speed
        local lift = math.sin(time * 0.7 + number) * 0.8
        Transform.set_xyz(bird.entity, math.cos(angle) * bird.reach, bird.y + lift, math.sin(angle) * bird.reach)
        Transform.set_rotation(bird.entity, Quaternion.axis_angle(up, -angle))
    end
    for number, wing in ipairs(known.right) do
        Transform.set_rotation(wing.entity, Quaternion.axis_angle(forward, math.sin(time * 9 + number) * 0.7))
    end
    local half = Quaternion.axis_angle(up, math.pi)
    for number, wing in ipairs(known.left) do
        local flap = Quaternion.axis_angle(forward, math.sin(time * 9 + number) * 0.7)
        Transform.set_rotation(wing.entity, Quaternion.multiply(half, flap))
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
    known = nil
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
    move_birds(time)
    move_clocks(time)
end
