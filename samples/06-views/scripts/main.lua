-- Each view looks through a camera of its choice; without a word, through the first of the level.
local turned = 0

function start()
    View.set_camera("player", Entity.find("eye"))
    View.set_camera("above", Entity.find("above"))
    View.set_camera("aside", Entity.find("aside"))
    View.set_camera("normals", Entity.find("eye"))
end

function update(step)
    turned = turned + step
    Transform.set_rotation(Entity.find("box"), Quaternion.axis_angle(Vector3(0, 1, 0), turned))
end
