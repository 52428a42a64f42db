//! Programs that bench their allocators, from outside. No figure of time is judged.

mod examples;
mod pages;
mod programs;
