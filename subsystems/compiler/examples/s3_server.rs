//! A server of S3 to try a team's cache with: s3s-fs, which is not ours. It serves one bucket, `content`, from a temporary
//! folder, and ends with its standard input.
//!
//! ```sh
//! cargo run -p loligo-compiler --features __s3-server --example s3_server -- 9000
//! ```

#[path = "../tests/it/s3_server.rs"]
mod s3_server;

use std::env;
use std::io::{self, Read as _};

use s3_server::{KEY, SECRET, Server};

fn main() -> io::Result<()> {
    let port = env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(0);
    let server = Server::start(port);
    println!(
        "export AWS_ENDPOINT=http://{} AWS_ALLOW_HTTP=true AWS_REGION=us-east-1",
        server.address
    );
    println!("export AWS_ACCESS_KEY_ID={KEY} AWS_SECRET_ACCESS_KEY='{SECRET}'");
    eprintln!("serving {}; the end of the input ends it", server.root.path().display());
    io::stdin().read_to_end(&mut Vec::new()).map(|_| ())
}
