-- A walk through a harbour. W, A, S and D or the arrows walk, R lets it rain or stop, H is for headphones, L changes
-- between English and French. All that is heard is data in sounds/ and game.mixer; this says when, and sets the
-- parameters that it follows.

local SPEED = 3                 -- of the walker, in metres a second
local STEP = 0.75               -- metres from step to step
local BELL = 3.3                -- seconds from stroke to stroke
local has_headphones = false    -- of this player, so it is not saved
local HALL = { -18, -6, 6, 14 } -- what the roof covers: from and to x, from and to z

local state = { walked = 0, rain = 0, music = 0, plays = "calm", boat = 0, rung = 0, cries = { 1.5, 4 } }

function start()
    state.music = Sound.play("sounds/calm")
end

local function walk(step)
    local walker = Entity.find("walker")
    Mover.walk(walker, Vector3(SPEED * Input.value("walk_x"), 0, SPEED * Input.value("walk_z")))
    local x, _, z = Vector3.elements(Mover.velocity(walker))
    local ground = Mover.ground(walker)
    state.is_on_pier = ground == Entity.find("pier")
    if not ground then return end
    state.walked = state.walked + math.sqrt(x * x + z * z) * step
    if state.walked < STEP then return end
    state.walked = state.walked - STEP
    local feet = Vector3.subtract(Transform.position(walker), Vector3(0, 0.85, 0))
    local sound = Sound.play_at("sounds/step", feet)
    local is_gravel = ground == Entity.find("beach")
    Sound.set_word(sound, "ground", state.is_on_pier and "wood" or is_gravel and "gravel" or "stone")
end

-- Who comes onto the pier is hailed, in the language that is preferred.
local function hail()
    if state.is_on_pier and not state.is_hailed then
        Sound.play_at("sounds/hail", Vector3(0, 1.6, -31))
    end
    state.is_hailed = state.is_on_pier
end

local function is_in_hall(place)
    local x, _, z = Vector3.elements(place)
    return x > HALL[1] and x < HALL[2] and z > HALL[3] and z < HALL[4]
end

local function rain()
    if Input.pressed("rain") then
        if Sound.is_playing(state.rain) then
            Sound.stop(state.rain)
            state.rain = 0
        else
            state.rain = Sound.play("sounds/rain")
        end
    end
    local is_covered = is_in_hall(Transform.position(Entity.find("walker")))
    Sound.set(state.rain, "roof", is_covered and 1 or 0)
end

-- The boat leaves, turns around the buoy, and comes back, slower where it turns.
local function sail(step)
    local boat = Entity.find("boat")
    local angle = state.boat
    local speed = 5 + 4 * math.cos(2 * angle)
    local x, z = -4 - 42 * math.cos(angle), -24 - 8 * math.sin(angle)
    state.boat = angle + speed * step / 36
    Transform.set_position(boat, Vector3(x, -0.7 + 0.12 * math.sin(Game.time() * 1.7), z))
    local heading = math.atan2(8 * math.cos(angle), 42 * math.sin(angle))
    Transform.set_rotation(boat, Quaternion.axis_angle(Vector3(0, 1, 0), heading))
    Sound.set(Sound.of(boat), "speed", speed)
end

local function ring(step)
    local buoy = Entity.find("buoy")
    Transform.set_position(buoy, Vector3(11, -0.9 + 0.2 * math.sin(Game.time() * 1.3), -19))
    state.rung = state.rung + step
    if state.rung >= BELL then
        state.rung = state.rung - BELL
        Sound.play_on("sounds/bell", buoy)
    end
end

local function fly(step)
    for number = 1, 2 do
        local gull = Entity.find("gull_" .. number)
        local angle = Game.time() * (0.5 + 0.13 * number) + number * 2
        local x, z = 6 * number - 6 + 14 * math.cos(angle), -8 + 14 * math.sin(angle)
        Transform.set_position(gull, Vector3(x, 8 + 2 * number, z))
        state.cries[number] = state.cries[number] - step
        if state.cries[number] < 0 then
            Sound.play_on("sounds/gull", gull)
            state.cries[number] = 2.2 + 1.7 * math.sin(7 * angle) + number
        end
    end
end

function update(step)
    walk(step)
    hail()
    rain()
    sail(step)
    ring(step)
    fly(step)
    if Input.pressed("headphones") then
        has_headphones = not has_headphones
        Sound.set_headphones(has_headphones)
    end
    if Input.pressed("language") then
        Game.prefer(Game.preferred() == "fr" and "" or "fr")
    end
end

-- On the pier somebody dances: the section changes where a bar begins.
function sound_marker(sound, entity, name)
    if sound ~= state.music or name ~= Sound.id("bar") then return end
    local wanted = state.is_on_pier and "lively" or "calm"
    if wanted == state.plays then return end
    Sound.stop(sound)
    state.plays = wanted
    state.music = Sound.play("sounds/" .. wanted)
    print("music: " .. wanted)
end

function on_save() return state end
function on_load(saved) state = saved end
