local PAUSE = 0.1 -- seconds between two balls
local SPEED = 7   -- upwards, metres a second
local WEIGHT = 9.8

local balls = {}
local wait = 0
local thrown = 0

local function throw()
    thrown = thrown + 1
    local angle = thrown * 2.4
    balls[#balls + 1] = {
        entity = Entity.spawn("ball", Vector3(0, 0.2, 0)),
        x = 1.5 * math.cos(angle), y = SPEED, z = 1.5 * math.sin(angle),
    }
end

local function fly(step)
    local left = {}
    for _, ball in ipairs(balls) do
        local x, y, z = Vector3.elements(Transform.position(ball.entity))
        ball.y = ball.y - WEIGHT * step
        if y + ball.y * step > 0 then
            Transform.set_xyz(ball.entity, x + ball.x * step, y + ball.y * step, z + ball.z * step)
            left[#left + 1] = ball
        else
            Entity.destroy(ball.entity)
        end
    end
    balls = left
end

function update(step)
    wait = wait - step
    if wait <= 0 then
        wait = wait + PAUSE
        throw()
    end
    fly(step)
end
