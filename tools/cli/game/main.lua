-- The engine calls start() once for a level and update(step) in each frame, with the seconds that have passed.
-- Change a number while the game runs, save, and it is there: loligo run --watch.

local hero = nil

function start()
    hero = Entity.find("hero")
    for number = 1, 12 do
        local angle = number / 12 * 2 * math.pi
        Entity.spawn("cube", Vector3(6 * math.cos(angle), 0.5, 6 * math.sin(angle)))
    end
end

function update(step)
    Transform.set_rotation(hero, Quaternion.axis_angle(Vector3(0, 1, 0), Game.time()))
end
