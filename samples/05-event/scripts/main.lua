local FLASH = 40
local lamp = nil
local gone = 0

function start()
    lamp = Entity.find("lamp")
end

-- Called for each entity that was removed, with how many went with it.
function removed(entity, count)
    gone = gone + count
    print(gone .. " gone, " .. Tag.count("cube") .. " left")
    Light.set_intensity(lamp, FLASH)
end

function update(step)
    if Input.pressed("remove") and Tag.count("cube") > 0 then
        Entity.destroy(Tag.entity("cube", 1))
    end
    Light.set_intensity(lamp, Light.intensity(lamp) * math.max(0, 1 - 4 * step))
end
