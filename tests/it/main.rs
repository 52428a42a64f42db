//! All integration tests, linked into one binary.
#![expect(
    unsafe_code,
    reason = "tests call the unsafe methods of allocators; every unsafe block states its reason"
)]

use std::alloc::System;

use loligo_allocators::GlobalGuard;

/// Counts the calls of the global heap in the tests that arm it.
#[global_allocator]
static GUARD: GlobalGuard<System> = GlobalGuard::new("tests", System);

mod buddy;
mod buddy_offsets;
mod canary;
mod collections;
mod compositions;
mod container_arrays;
mod container_arrays_of_arrays;
mod container_blob_versions;
mod container_blobs;
mod container_derives;
mod container_key_values;
mod container_list_pool;
mod container_maps;
mod container_open;
mod container_streams;
mod contract;
mod examples;
mod failing;
mod fill;
mod frame;
mod from_allocator_api2;
mod from_global;
mod global;
mod global_guard;
mod global_memory;
mod guard_page;
mod heap;
mod heap_offsets;
mod id_tables;
mod locked;
mod matrix;
mod memory_globals;
mod misuse;
mod model_programs;
mod offsets;
mod overview;
mod page;
mod planted;
mod pool;
mod process;
mod programs;
mod proxy;
mod quarantine;
mod recording;
mod scratch;
mod shared_frame;
mod shared_pool;
mod shared_proxy;
mod shipped_game;
mod shrink;
mod sites;
mod slab;
mod static_heap;
mod string_hash;
mod subject;
mod subsystem_diagnostics;
mod subsystem_engine;
mod subsystem_entities;
mod subsystem_expressions;
mod subsystem_gpu;
mod subsystem_monitor;
mod subsystem_render;
mod subsystem_resources;
mod subsystem_script;
mod subsystem_sjson;
mod subsystem_tasks;
mod subsystems;
mod subsystems_planted;
mod suites;
mod suites_planted;
mod system;
mod temp;
mod thread_heap;
mod trace;
mod traces;
mod verdicts;
mod verify;
