// Runs a program for WASI in Node: `node wasi.mjs PROGRAM [ARGUMENT...]`.
//
// Of this machine the program gets the environment and all files.

import { readFile } from 'node:fs/promises';
import { argv, env } from 'node:process';
import { WASI } from 'node:wasi';

const [program, ...options] = argv.slice(2);
const wasi = new WASI({
    version: 'preview1',
    args: [program, ...options],
    env,
    preopens: { '/': '/' },
    returnOnExit: true,
});
const compiled = await WebAssembly.compile(await readFile(program));
const { wasiImport } = wasi;
const instance = await WebAssembly.instantiate(compiled, { wasi_snapshot_preview1: wasiImport });
// At once: Node can crash when it ends by itself after a program of this size.
process.exit(wasi.start(instance));
