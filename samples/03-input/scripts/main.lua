local SPEED = 4 -- metres a second
local cube = nil

-- Called when a level has begun.
function start()
    cube = Entity.find("cube")
end

-- Called in each update, with the seconds that have passed.
function update(step)
    local x, y, z = Vector3.elements(Transform.position(cube))
    x = x + SPEED * step * Input.value("move_x")
    z = z + SPEED * step * Input.value("move_z")
    Transform.set_xyz(cube, x, y, z)
end
