//! `shim.c`, which makes calls of the system fail on purpose.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// "No space left on device", by its number on Linux.
pub(crate) const NO_SPACE: &str = "28";
/// "Input/output error".
pub(crate) const IO: &str = "5";
/// "Permission denied".
pub(crate) const NO_PERMISSION: &str = "13";

/// Calls that a run writes by.
pub(crate) const WRITING: &str = "write,sync,rename,open,mkdir,remove,truncate";

/// What becomes of which calls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shim<'a> {
    /// A text in the paths of the files.
    pub(crate) path: &'a str,
    /// Names of calls, with commas.
    pub(crate) calls: &'a str,
    /// At which, from 1; 0 for none.
    pub(crate) at: usize,
    /// What happens: `kill`, `sleep`, or the number of an error.
    pub(crate) what: &'a str,
}

/// The library, compiled once; `None` where that cannot be done.
fn library() -> Option<&'static Path> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compile = || {
        if !cfg!(all(target_os = "linux", target_env = "gnu")) {
            return None;
        }
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/shim.c");
        let name = format!("faults-{}.so", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let ran = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
            .arg(&path)
            .args([source, "-ldl"])
            .status();
        // The project is built with a C compiler: it is there.
        assert!(ran.unwrap().success(), "shim.c does not compile");
        Some(path)
    };
    LIBRARY.get_or_init(compile).as_deref()
}

/// Whether calls can be made to fail here.
pub(crate) fn can_load() -> bool {
    library().is_some()
}

/// Why a fault cannot be made here.
pub(crate) const NO_SHIM: &str = "not tried: calls can be made to fail on Linux with glibc alone";

impl Shim<'_> {
    /// Has a run meet it, where that [can be done](can_load).
    pub(crate) fn load(&self, command: &mut Command) {
        let library = library().expect("it was asked before");
        command
            .env("LD_PRELOAD", library)
            .env("FAULT_PATH", self.path)
            .env("FAULT_CALLS", self.calls)
            .env("FAULT_DO", self.what);
        if self.at > 0 {
            command.env("FAULT_AT", self.at.to_string());
        }
    }
}
