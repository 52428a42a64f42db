//! Models and pictures as compilers read them.

mod models;
mod pictures;
