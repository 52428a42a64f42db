-- The sample's views, one more within them, and all that can be written over a picture.
function start()
    View.set_camera("player", Entity.find("eye"))
    View.set_camera("above", Entity.find("above"))
    View.set_camera("aside", Entity.find("aside"))
    View.set_camera("normals", Entity.find("eye"))
    View.set_camera("inset", Entity.find("above"))
    -- The view of the whole picture would show what is drawn in the world once more.
    View.set_camera("screen", Entity.find("away"))
    Graph.make("heights")
    Graph.add_colored("heights", "height", "#ff8000")
    Graph.range("heights", 0, 10)
end

function update()
    Profiler.record("height", Game.frame() * 2)
    Draw.text(Vector3(0, 1.2, 0), "ball 42", 0.6, Vector3(1, 1, 0))
    Draw.sphere(Vector3(2, 0.5, 0), 0.9, Vector3(0, 1, 1))
    Draw.cross(Vector3(-2, 1.6, 0), 1.2, Vector3(1, 0, 1))
    Draw.line(Vector3(-2, 0.1, 2), Vector3(2, 0.1, 2), Vector3(0, 1, 0))
    Draw.screen_text(-100, 78, "right 17", 14, Vector3(1, 1, 1))
    Draw.screen_text(6, -22, "below", 16, Vector3(0.5, 0, 0))
    Draw.screen_line(-60, -30, -4, -8, Vector3(1, 1, 0))
end
