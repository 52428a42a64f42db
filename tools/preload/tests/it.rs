//! C programs over the preloaded library: what `malloc` promises, threads, a second free.

#![cfg(target_os = "linux")]

use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Uses every function once with each kind of size, and two threads that free each other's blocks.
const WORK: &str = r#"
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *blocks[2][1000];

static void *fill(void *number) {
    long n = (long)number;
    for (int i = 0; i < 1000; i++) {
        blocks[n][i] = malloc(i * 7 + 1);
        memset(blocks[n][i], n + 1, i * 7 + 1);
    }
    return NULL;
}

static void *empty(void *number) {
    long n = 1 - (long)number;
    for (int i = 0; i < 1000; i++) {
        assert(((char *)blocks[n][i])[i * 7] == n + 1);
        free(blocks[n][i]);
    }
    return NULL;
}

static void both(void *(*work)(void *)) {
    pthread_t threads[2];
    for (long n = 0; n < 2; n++) assert(pthread_create(&threads[n], NULL, work, (void *)n) == 0);
    for (long n = 0; n < 2; n++) assert(pthread_join(threads[n], NULL) == 0);
}

int main(void) {
    size_t sizes[] = {0, 1, 24, 500, 5000, 200000, 20000000};
    for (int i = 0; i < 7; i++) {
        size_t bytes = sizes[i];
        char *block = malloc(bytes);
        assert(block && (uintptr_t)block % 16 == 0 && malloc_usable_size(block) >= bytes);
        memset(block, 1, bytes);
        block = realloc(block, bytes * 2 + 1);
        assert(block && (bytes == 0 || block[bytes - 1] == 1));
        block = reallocarray(block, bytes / 2 + 1, 1);
        assert(block);
        free(block);
        char *zeros = calloc(bytes, 1);
        for (size_t at = 0; at < bytes; at++) assert(zeros[at] == 0);
        free(zeros);
        void *aligned;
        assert(posix_memalign(&aligned, 4096, bytes) == 0 && (uintptr_t)aligned % 4096 == 0);
        free(aligned);
        aligned = aligned_alloc(64, bytes);
        assert(aligned && (uintptr_t)aligned % 64 == 0);
        free(aligned);
    }
    void *unset;
    assert(posix_memalign(&unset, 24, 8) == EINVAL);
    errno = 0;
    assert(malloc(SIZE_MAX / 2) == NULL && errno == ENOMEM);
    assert(calloc(SIZE_MAX / 2, 3) == NULL);
    assert(realloc(malloc(10), 0) == NULL);
    free(NULL);
    both(fill);
    both(empty);
    printf("worked\n");
    return 0;
}
"#;

/// Frees a block a second time.
const TWICE: &str = r#"
#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments) {
    (void)arguments;
    void *volatile block = malloc(40 * (size_t)count);
    free(block);
    free(block);
    printf("the program went on\n");
    return 0;
}
"#;

/// The library, which Cargo has built in this program's folder.
fn library() -> PathBuf {
    let program = std::env::current_exe().expect("a program knows its path");
    let folder = program.parent().expect("it is in a folder");
    let library = folder.join("libloligo_preload.so");
    assert!(library.exists(), "{} is built with this test", library.display());
    library
}

/// Compiles a program and runs it over the library; returns its counters too.
fn run(name: &str, source: &str) -> (Output, String) {
    let folder = std::env::temp_dir().join(format!("loligo-preload-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder can be made");
    let (text, program) = (folder.join("program.c"), folder.join("program"));
    std::fs::write(&text, source).expect("a file can be written");
    let mut compiler = Command::new("cc");
    compiler.args(["-O0", "-pthread", "-o"]).arg(&program).arg(&text);
    let compiled = compiler.output().expect("there is a C compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let counters = folder.join("counters");
    let mut command = Command::new(&program);
    command.env("LD_PRELOAD", library()).env("LOLIGO_PRELOAD_COUNTERS", &counters);
    let output = command.output();
    // A program that is aborted writes none.
    let counters = std::fs::read_to_string(&counters).unwrap_or_default();
    std::fs::remove_dir_all(&folder).expect("the temporary folder can be removed");
    (output.expect("the program can be started"), counters)
}

#[test]
fn a_c_program_works() {
    let (output, counters) = run("work", WORK);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", output.status);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "worked\n", "{said}");
    let fields: Vec<&str> = counters.trim_end().split('\t').collect();
    let [program, allocations, bytes] = fields[..] else { panic!("one line: {counters:?}") };
    let [allocations, bytes] = [allocations, bytes].map(|number| number.parse().unwrap_or(0_u64));
    assert!(program.ends_with("/program"), "{counters}");
    assert!(allocations > 2000 && bytes > 60_000_000, "{counters}");
}

#[test]
fn a_second_free_ends_a_c_program_with_a_report() {
    let (output, counters) = run("twice", TWICE);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.signal(), Some(6), "it is aborted: {said}");
    assert!(said.contains("allocator `malloc`: double free"), "{said}");
    assert_eq!(counters, "", "what is aborted has no end");
}
