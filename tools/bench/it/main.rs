//! Programs that bench their allocators, from outside. No figure of time is judged.

mod pages;
mod programs;
