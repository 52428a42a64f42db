//! Models, pictures and recordings as compilers read them.

mod models;
mod pictures;
mod recordings;
