-- The engine calls start() once for a level and update(step) in each frame, with the seconds that have passed.
-- Change a number while the game runs with --watch, save, and see.

local SPEED = 5
local hero = nil

function start()
    hero = Entity.find("hero")
    for number = 1, 12 do
        local angle = number / 12 * 2 * math.pi
        Entity.spawn("cube", Vector3(6 * math.cos(angle), 0.5, 6 * math.sin(angle)))
    end
end

function update(step)
    local x, y, z = Vector3.elements(Transform.position(hero))
    x = x + SPEED * step * Input.value("move_x")
    z = z + SPEED * step * Input.value("move_z")
    Transform.set_xyz(hero, x, y, z)
    Transform.set_rotation(hero, Quaternion.axis_angle(Vector3(0, 1, 0), Game.time()))
    if Input.pressed("spawn") then
        Entity.spawn("cube", Vector3(x, y + 1.2, z))
    end
end
