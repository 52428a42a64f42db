//! A project folder: one source after the other is spoiled, compiled, and made right again.

use core::num::NonZeroUsize;
use std::fs;
use std::io;

use loligo_compiler::{Compilers, Project as Compiled, Threads};
use tempfile::TempDir;

use super::{Seeds, Surface, files, root};

/// Sources that are larger are compiled for longer than they find anything.
const BYTES_MAX: usize = 20_000;

/// A copy of the sample, with what it is compiled to.
pub(crate) struct Project {
    folder: TempDir,
    sources: Vec<(String, Vec<u8>)>,
    compilers: Compilers,
}

/// Returns the compilers of all types.
pub(super) fn compilers() -> Compilers {
    let mut compilers = Compilers::built_in();
    loligo_render::compile::register(&mut compilers);
    loligo_engine::compile::register(&mut compilers);
    compilers.register("lua", loligo_script::LuaCompiler);
    compilers
}

impl Project {
    pub(crate) fn try_new() -> io::Result<Self> {
        let mut sources = files(&root().join("samples/10-courtyard"))?;
        // What comes with the program, as files of the project.
        let core = files(&root().join("subsystems/render/core"))?;
        sources.extend(core.into_iter().map(|(name, bytes)| (format!("core/{name}"), bytes)));
        sources.retain(|(_, bytes)| bytes.len() <= BYTES_MAX);
        let folder = tempfile::tempdir()?;
        for (name, bytes) in &sources {
            let path = folder.path().join(name);
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, bytes)?;
        }
        let project = Self { folder, sources, compilers: compilers() };
        project.compile();
        Ok(project)
    }

    fn compile(&self) {
        let data = self.folder.path().join(".loligo");
        let project = Compiled::new(self.folder.path(), &data, &self.compilers);
        // Errors are right.
        let _ = project.compile(&Threads::new(NonZeroUsize::MIN));
    }
}

impl Surface for Project {
    fn seeds(&self) -> Seeds {
        let shader = |text: &str| {
            format!(
                "@fragment fn fs_main() -> @location(0) vec4<f32> {{ let x = 1.0; return vec4({text}); }}"
            )
        };
        let harmful = [
            ("harmful/sum.shader", shader(&("x + ".repeat(9_000) + "x"))),
            ("harmful/minus.shader", shader(&("- ".repeat(9_000) + "x"))),
            ("harmful/members.shader", shader(&format!("vec4(x){}", ".xyzw".repeat(9_000)))),
            (
                "harmful/else.shader",
                shader("x").replace(
                    "let x",
                    &format!("{} let x", "if true {} else ".repeat(4_000) + "{}"),
                ),
            ),
            ("harmful/deep.config", format!("a = {}", "[ ".repeat(9_000))),
            ("harmful/circle.mesh", "file = \"harmful/circle.mesh\"".to_owned()),
            ("game.config", "level = \"../../etc/passwd\" memory = \"/dev/zero\"".to_owned()),
        ];
        let harmful = harmful.map(|(name, text)| (name.to_owned(), text.into_bytes())).into();
        Seeds { harmful, real: self.sources.clone() }
    }

    fn feed(&mut self, what: &str, input: &[u8]) {
        let path = self.folder.path().join(what);
        let before = self.sources.iter().find(|(name, _)| name == what);
        // The folder is ours, and whatever cannot be written is not fed.
        let _ =
            path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(&path, input));
        self.compile();
        let _ = match before {
            Some((_, bytes)) => fs::write(&path, bytes),
            None => fs::remove_file(&path),
        };
    }
}
