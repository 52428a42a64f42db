-- Vectors as they are written, and boxes that keep values beyond the frame.
local Vector3, Quaternion, Matrix4x4 = Vector3, Quaternion, Matrix4x4
local setmetatable = setmetatable

setmetatable(Vector3, { __call = function(_, x, y, z) return Vector3.new(x, y, z) end })
setmetatable(Quaternion, { __call = function(_, x, y, z, w) return Quaternion.new(x, y, z, w) end })

-- A class whose objects hold a value's elements: `store` takes a value, `unbox` makes one of this frame.
local function box_class(name, store, unbox)
    local class = { store = store, unbox = unbox }
    class.__index = class
    _G[name] = setmetatable(class, {
        __call = function(_, value)
            local box = setmetatable({}, class)
            if value ~= nil then
                store(box, value)
            end
            return box
        end,
    })
end

box_class("Vector3Box", function(box, value)
    box[1], box[2], box[3] = Vector3.elements(value)
end, function(box)
    return Vector3.new(box[1], box[2], box[3])
end)

box_class("QuaternionBox", function(box, value)
    box[1], box[2], box[3], box[4] = Quaternion.elements(value)
end, function(box)
    return Quaternion.new(box[1], box[2], box[3], box[4])
end)

box_class("Matrix4x4Box", function(box, value)
    local column = Matrix4x4.column
    box[1], box[2], box[3], box[4] = column(value, 1)
    box[5], box[6], box[7], box[8] = column(value, 2)
    box[9], box[10], box[11], box[12] = column(value, 3)
    box[13], box[14], box[15], box[16] = column(value, 4)
end, function(box)
    return Matrix4x4.new(box[1], box[2], box[3], box[4], box[5], box[6], box[7], box[8], box[9],
        box[10], box[11], box[12], box[13], box[14], box[15], box[16])
end)
