//! Where a cache is.

use std::path::{Path, PathBuf};

use loligo_compiler::{CacheStore, DirectoryStore};

/// How addresses of stores of objects begin.
const SCHEMES: [&str; 3] = ["s3", "gs", "az"];

/// Where a cache is: a folder, or a store of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Address {
    Folder(PathBuf),
    Url(String),
}

impl Address {
    /// Reads it from the command line.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return Ok(Self::Folder(text.into()));
        };
        if scheme == "file" {
            return Ok(Self::Folder(rest.into()));
        }
        if !SCHEMES.contains(&scheme) {
            let known = SCHEMES.join("://, ");
            return Err(format!("`{scheme}://` is no store; name a folder, or a {known}://"));
        }
        match cfg!(feature = "object-store") {
            true => Ok(Self::Url(text.to_owned())),
            false => Err(
                "this build reads caches in folders only; install it with `--features object-store`"
                    .to_owned(),
            ),
        }
    }

    /// Opens it for a compile, and makes a folder that is to be written.
    pub(super) fn open(&self, is_writer: bool) -> Result<Box<dyn CacheStore>, String> {
        match self {
            Self::Folder(path) => folder(path, is_writer),
            Self::Url(url) => objects(url),
        }
    }

    /// Opens one that is there.
    pub(super) fn open_existing(&self, is_writer: bool) -> Result<Box<dyn CacheStore>, String> {
        if let Self::Folder(path) = self {
            // Reading makes nothing, so this is where a name that is wrong is found.
            folder(path, false)?;
        }
        self.open(is_writer)
    }
}

fn folder(path: &Path, is_writer: bool) -> Result<Box<dyn CacheStore>, String> {
    let opened = if is_writer { DirectoryStore::create(path) } else { DirectoryStore::open(path) };
    match opened {
        Ok(store) => Ok(Box::new(store)),
        Err(error) => Err(format!("cache {error}")),
    }
}

#[cfg(feature = "object-store")]
fn objects(url: &str) -> Result<Box<dyn CacheStore>, String> {
    match loligo_compiler::ObjectCacheStore::open(url) {
        Ok(store) => Ok(Box::new(store)),
        Err(error) => Err(format!("cache {error}")),
    }
}

#[cfg(not(feature = "object-store"))]
fn objects(url: &str) -> Result<Box<dyn CacheStore>, String> {
    Err(format!("cache {url}: this build reads caches in folders only"))
}
