//! Makes a person that walks, for samples: a glTF file with a mesh, a skin and animations, and a
//! picture with its colors. A seed has the same bytes on all machines.
//!
//! ```text
//! cargo run -p loligo-animation --example walker -- samples/30-parade/models 1
//! ```

mod body;
mod file;
mod gait;
mod mesh;
mod picture;

use core::error::Error;
use std::path::PathBuf;

use body::Body;
use file::GltfText;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_else(|| ".".into()));
    let seed: u32 = arguments.next().map_or(Ok(1), |seed| seed.parse())?;
    let body = Body::new(seed);
    let mut file = GltfText::new(&body);
    let skin = mesh::of(&body);
    file.add_skin(&body, &skin);
    for animation in gait::all(&body) {
        file.add_animation(&animation);
    }
    std::fs::write(folder.join("walker.gltf"), file.text())?;
    for (name, shirt, trousers) in picture::CLOTHES {
        std::fs::write(folder.join(format!("{name}.png")), picture::png(shirt, trousers))?;
    }
    println!("{} vertices, {} triangles", skin.vertices.len(), skin.triangles.len());
    Ok(())
}
