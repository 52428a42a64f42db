-- A game of two levels: shoot all targets.

local SPEED = 6          -- of the hero, in metres a second
local BULLET_SPEED = 16
local BULLET_LIFE = 1.5  -- in seconds
local RELOAD = 0.2
local REACH = 0.8        -- how near a bullet must come
local LEVELS = { "start", "second" }

-- All that the script knows: what a saved game keeps of it.
local state = { level = 1, hero = nil, bullets = {}, wait = 0 }

-- Called when a level has begun: what was there before is gone.
function start()
    state.hero = Entity.find("hero")
    state.bullets = {}
    print("level " .. state.level .. ": " .. Tag.count("target") .. " targets")
end

function on_save()
    return state
end

-- Called in place of start() when a saved game was loaded: entities are what they were.
function on_load(saved)
    state = saved
    print("on with level " .. state.level .. ": " .. Tag.count("target") .. " targets")
end

local function move(step)
    local x, y, z = Vector3.elements(Transform.position(state.hero))
    x = math.max(-8, math.min(8, x + SPEED * step * Input.value("move_x")))
    z = math.max(2, math.min(7, z + SPEED * step * Input.value("move_z")))
    Transform.set_xyz(state.hero, x, y, z)
end

local function fire(step)
    state.wait = state.wait - step
    if Input.is_down("fire") and state.wait <= 0 then
        state.wait = RELOAD
        local x, y, z = Vector3.elements(Transform.position(state.hero))
        local bullet = Entity.spawn("bullet", Vector3(x, y, z - 0.8))
        state.bullets[#state.bullets + 1] = { entity = bullet, life = BULLET_LIFE }
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
    for _, bullet in ipairs(state.bullets) do
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
    state.bullets = left
end

function update(step)
    move(step)
    fire(step)
    fly(step)
    if Tag.count("target") == 0 and state.level <= #LEVELS then
        state.level = state.level + 1
        if LEVELS[state.level] then
            Level.load(LEVELS[state.level])
        else
            print("all targets are gone")
        end
    end
    if Input.pressed("save") then Game.save("targets") end
    if Input.pressed("load") then Game.load("targets") end
end
