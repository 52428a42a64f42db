//! A server of S3 that is not ours: s3s-fs, which checks signatures. It runs in this process.

use core::net::SocketAddr;
use std::fs;

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder as Connections;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// By what it is accessed.
pub(crate) const KEY: &str = "team";
pub(crate) const SECRET: &str = "a secret of the team";

/// A server with one bucket, `content`, in a temporary folder.
pub(crate) struct Server {
    pub(crate) root: TempDir,
    pub(crate) address: SocketAddr,
    /// Stops when it is dropped.
    _runtime: Runtime,
}

impl Server {
    /// Starts one on a port; 0 is a free one.
    pub(crate) fn start(port: u16) -> Self {
        let root = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(root.path().join("content")).expect("it may be made");
        let files = s3s_fs::FileSystem::new(root.path()).expect("the folder is there");
        let mut service = S3ServiceBuilder::new(files);
        service.set_auth(SimpleAuth::from_single(KEY, SECRET));
        let service = service.build();
        let runtime = Runtime::new().expect("there are threads");
        let listener = runtime.block_on(TcpListener::bind(("127.0.0.1", port)));
        let listener = listener.expect("the port is free");
        let address = listener.local_addr().expect("it is bound");
        runtime.spawn(async move {
            let connections = Connections::new(TokioExecutor::new());
            while let Ok((socket, _)) = listener.accept().await {
                // An answer in two parts would wait 40 ms for the client's note that it has the first.
                let _ = socket.set_nodelay(true);
                let served = connections
                    .serve_connection(TokioIo::new(socket), service.clone())
                    .into_owned();
                tokio::spawn(async move { served.await.is_ok() });
            }
        });
        Self { root, address, _runtime: runtime }
    }
}
