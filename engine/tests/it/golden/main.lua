-- Lines and letters over the picture.
function start()
    View.set_camera("corner", Entity.find("eye"))
end

function update()
    Draw.box(Vector3(1.2, 0.5, 1.4), Vector3(1.2, 1.2, 1.2), Vector3(1, 1, 0))
    Draw.screen_text(6, 6, "golden 42", 12, Vector3(1, 1, 1))
end
