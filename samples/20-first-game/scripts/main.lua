-- A game of two levels: shoot all targets.

local SPEED = 6          -- of the hero, in metres a second
local BULLET_SPEED = 16
local BULLET_LIFE = 1.5  -- in seconds
local RELOAD = 0.2
local REACH = 0.8        -- how near a bullet must come
local LEVELS = { "start", "second" }

local level = 1
local hero = nil
local bullets = {}
local wait = 0

-- Called when a level has begun: what was there before is gone.
function start()
    hero = Entity.find("hero")
    bullets = {}
    print("level " .. level .. ": " .. Tag.count("target") .. " targets")
end

local function move(step)
    local x, y, z = Vector3.elements(Transform.position(hero))
    x = math.max(-8, math.min(8, x + SPEED * step * Input.value("move_x")))
    z = math.max(2, math.min(7, z + SPEED * step * Input.value("move_z")))
    Transform.set_xyz(hero, x, y, z)
end

local function fire(step)
    wait = wait - step
    if Input.is_down("fire") and wait <= 0 then
        wait = RELOAD
        local x, y, z = Vector3.elements(Transform.position(hero))
        local bullet = Entity.spawn("bullet", Vector3(x, y, z - 0.8))
        bullets[#bullets + 1] = { entity = bullet, life = BULLET_LIFE }
    end
end

-- Returns the target that a place is in.
local function target_at(place)
    for number = 1, Tag.count("target") do
        local target = Tag.entity("target", number)
        if Vector3.distance(place, Transform.position(target)) < REACH then
            return target
        end
    end
    return nil
end

local function fly(step)
    local left = {}
    for _, bullet in ipairs(bullets) do
        local x, y, z = Vector3.elements(Transform.position(bullet.entity))
        z = z - BULLET_SPEED * step
        bullet.life = bullet.life - step
        local target = target_at(Vector3(x, y, z))
        if target then
            Entity.destroy(target)
        end
        if target or bullet.life <= 0 then
            Entity.destroy(bullet.entity)
        else
            Transform.set_xyz(bullet.entity, x, y, z)
            left[#left + 1] = bullet
        end
    end
    bullets = left
end

function update(step)
    move(step)
    fire(step)
    fly(step)
    if Tag.count("target") == 0 and level <= #LEVELS then
        level = level + 1
        if LEVELS[level] then
            Level.load(LEVELS[level])
        else
            print("all targets are gone")
        end
    end
end
