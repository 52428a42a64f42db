//! A compiler whose sources say what it shall ask for.

use loligo_compiler::{CompileError, Compiler, Compilers, Context};

/// Runs its source line by line and writes down what it got: `read PATH`, `need PATH`, `list
/// FOLDER`, `option NAME`, `name NAME`, `refer TYPE NAME`, `platform`, `fail`, `panic`; anything
/// else is text.
pub(crate) struct Scripted(u32);

impl Compiler for Scripted {
    fn version(&self) -> u32 {
        self.0
    }

    fn compile(&self, context: &mut Context<'_>) -> Result<Vec<u8>, CompileError> {
        let source = context.source()?;
        let text = String::from_utf8_lossy(&source).into_owned();
        let mut made = String::new();
        for (number, line) in text.lines().enumerate() {
            let place = (number as u32 + 1, 1);
            let mut words = line.split(' ');
            let (word, rest) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
            made += &match word {
                "read" => format!("{:?}", context.try_read(rest)?),
                "need" => {
                    format!("{:?}", context.read(rest).map_err(|error| error.at(place.0, 1))?)
                }
                "list" => format!("{:?}", context.list(rest)?),
                "option" => format!("{:?}", context.option(rest)),
                "platform" => context.platform().to_owned(),
                "name" => context.name(rest).to_string(),
                "refer" => context.refer(rest, words.next().unwrap_or_default(), place).to_string(),
                "fail" => {
                    return Err(CompileError::new("it fails", "let it not").at(place.0, 1));
                }
                "panic" => panic!("as the source says"),
                _ => line.to_owned(),
            };
            made.push('\n');
        }
        Ok(made.into_bytes())
    }
}

/// Returns the built-in compilers and this one, for type `script`.
pub(crate) fn compilers(version: u32) -> Compilers {
    let mut compilers = Compilers::built_in();
    compilers.register("script", Scripted(version));
    compilers
}
