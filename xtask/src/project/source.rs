//! What is in the sources of a generated project.

use core::fmt::Write as _;

use super::random::mixed;

/// How many resources are in a folder.
pub(super) const FOLDER: u64 = 200;

/// How many pictures the textures share.
pub(super) const IMAGES: u64 = 16;

/// The type of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Config,
    Data,
    Entity,
    Frame,
    Level,
    Lua,
    Material,
    Mesh,
    Package,
    Texture,
}

impl Kind {
    pub(super) const ALL: [Self; 10] = [
        Self::Config,
        Self::Data,
        Self::Entity,
        Self::Frame,
        Self::Level,
        Self::Lua,
        Self::Material,
        Self::Mesh,
        Self::Package,
        Self::Texture,
    ];

    /// Returns what the files of the type end in.
    pub(super) const fn type_name(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Data => "data",
            Self::Entity => "entity",
            Self::Frame => "frame",
            Self::Level => "level",
            Self::Lua => "lua",
            Self::Material => "material",
            Self::Mesh => "mesh",
            Self::Package => "package",
            Self::Texture => "texture",
        }
    }
}

/// Returns the folder of a resource, in the project.
pub(super) fn folder_of(number: u64) -> String {
    let folder = number / FOLDER;
    format!("area_{}/part_{}", folder / 50, folder)
}

/// The sources of a project: each is made of its number alone.
pub(super) struct Sources {
    count: u64,
    seed: u64,
}

impl Sources {
    pub(super) const fn new(count: u64, seed: u64) -> Self {
        Self { count, seed }
    }

    /// Returns the type of a resource. Each folder has a package and a level; the rest is as in a
    /// game: mostly entities, settings and materials.
    pub(super) fn kind(&self, number: u64) -> Kind {
        match number % FOLDER {
            0 => return Kind::Package,
            1 => return Kind::Level,
            _ => {}
        }
        match mixed(self.seed, number) % 1000 {
            0..300 => Kind::Entity,
            300..500 => Kind::Config,
            500..650 => Kind::Material,
            650..780 => Kind::Mesh,
            780..880 => Kind::Texture,
            880..950 => Kind::Data,
            950..998 => Kind::Lua,
            _ => Kind::Frame,
        }
    }

    /// Returns the name of a resource.
    fn name(&self, number: u64) -> String {
        let kind = self.kind(number).type_name();
        format!("{}/{kind}_{number}", folder_of(number))
    }

    /// Returns the path of a resource's source.
    pub(super) fn path(&self, number: u64) -> String {
        format!("{}.{}", self.name(number), self.kind(number).type_name())
    }

    /// Returns the name of some resource of a kind that another one names, if one is near the place
    /// that is drawn. `turn` distinguishes the names in one source.
    pub(super) fn reference(&self, number: u64, turn: u64, kind: Kind) -> Option<String> {
        let drawn = mixed(self.seed ^ 0x5eed, number * 8 + turn) % self.count;
        let near = (drawn..drawn + 2 * FOLDER).map(|near| near % self.count);
        // An entity inherits of an earlier one only, so that none inherits of itself.
        let mut near = near.filter(|near| kind != Kind::Entity || *near < number);
        near.find(|near| self.kind(*near) == kind).map(|near| self.name(near))
    }

    /// Returns the source of a resource.
    pub(super) fn text(&self, number: u64) -> String {
        let draw = |turn: u64, below: u64| mixed(self.seed ^ 0xd2a3, number * 8 + turn) % below;
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = match self.kind(number) {
            Kind::Config => write!(
                text,
                "// Unit {number}.\nname = \"unit {number}\"\nhealth = {}\nspeeds = [ {} {}.5 1e2 ]\n",
                draw(0, 100),
                draw(1, 50),
                draw(2, 9)
            ),
            Kind::Data => write!(text, "{}", format!("{number:08} ").repeat(64)),
            Kind::Entity => self.entity(&mut text, number, draw(0, 3) == 0),
            Kind::Frame => writeln!(
                text,
                "passes = [\n    {{ name = \"screen\" color = [ \"window\" ] layers = [ {{ name = \"opaque\" order = \"by_state\" }} ] }}\n]"
            ),
            Kind::Level => self.level(&mut text, number),
            Kind::Lua => write!(
                text,
                "local unit = {{}}\n\nfunction unit.health(x)\n    return x * {} + {}\nend\n\nreturn unit\n",
                draw(0, 10),
                draw(1, 100)
            ),
            Kind::Material => {
                let texture = self.reference(number, 0, Kind::Texture);
                let texture =
                    texture.map_or_else(String::new, |name| format!("texture = \"{name}\"\n"));
                write!(
                    text,
                    "shader = \"core/shaders/standard\"\n{texture}color = [ 0.{} 0.{} 0.{} 1 ]\nroughness = 0.{}\n",
                    draw(1, 10),
                    draw(2, 10),
                    draw(3, 10),
                    draw(4, 10)
                )
            }
            Kind::Mesh => write!(
                text,
                "shape = \"{}\"\nscale = {}.{}\n",
                ["box", "plane", "cylinder"][draw(0, 3) as usize],
                1 + draw(1, 3),
                draw(2, 10)
            ),
            Kind::Package => {
                let folder = folder_of(number);
                let types = ["config", "entity", "lua", "material", "mesh"];
                types.iter().try_for_each(|kind| writeln!(text, "{kind} = [ \"{folder}/*\" ]"))
            }
            Kind::Texture => {
                writeln!(text, "image = \"images/{}.bitmap\"", draw(0, IMAGES))
            }
        };
        text
    }

    fn entity(&self, text: &mut String, number: u64, is_heir: bool) -> core::fmt::Result {
        let heir = self.reference(number, 0, Kind::Entity).filter(|_| is_heir);
        let mesh = self.reference(number, 1, Kind::Mesh);
        let material = self.reference(number, 2, Kind::Material);
        if let Some(heir) = heir {
            writeln!(text, "inherit = \"{heir}\"")?;
        }
        writeln!(
            text,
            "components = {{\n    transform = {{ position = [ {} 0 2 ] }}",
            number % 97
        )?;
        let mesh = mesh.as_deref().unwrap_or("core/meshes/box");
        let material = material.as_deref().unwrap_or("core/materials/red");
        writeln!(text, "    model = {{ mesh = \"{mesh}\" material = \"{material}\" }}")?;
        writeln!(text, "    data = {{ number = {number} }}\n}}")
    }

    fn level(&self, text: &mut String, number: u64) -> core::fmt::Result {
        text.push_str("entities = {\n");
        for turn in 0..8 {
            // Those of a level are of the whole project before it.
            if let Some(entity) = self.reference(number, turn, Kind::Entity) {
                writeln!(text, "    place_{turn} = {{ inherit = \"{entity}\" }}")?;
            }
        }
        text.push_str("}\n");
        Ok(())
    }
}
