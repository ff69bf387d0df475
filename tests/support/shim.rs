//! `shim.c`, a preloaded library that makes system calls fail.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// `ENOSPC` on Linux: no space left on device.
pub const NO_SPACE: &str = "28";
/// `EIO`: input/output error.
pub const IO: &str = "5";
/// `EACCES`: permission denied.
pub const NO_PERMISSION: &str = "13";

/// The system calls with which a run writes.
pub const WRITING: &str = "write,sync,rename,open,mkdir,remove,truncate";

/// The system calls that fail, and how.
#[derive(Clone, Copy, Debug)]
pub struct Shim<'a> {
    /// Only files whose path contains this text are affected.
    pub path: &'a str,
    /// Names of system calls, separated by commas.
    pub calls: &'a str,
    /// The occurrence that fails, from 1; 0 for none.
    pub call: usize,
    /// The effect: `kill`, `sleep`, or an error number.
    pub what: &'a str,
}

/// Returns the library, compiled once, or `None` if it cannot be compiled.
fn library() -> Option<&'static Path> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compile = || {
        if !cfg!(all(target_os = "linux", target_env = "gnu")) {
            return None;
        }
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/shim.c");
        let name = format!("faults-{}.so", std::process::id());
        let path = crate::program().with_file_name(name);
        let ran = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o"])
            .arg(&path)
            .args([source, "-ldl"])
            .status();
        // A C compiler is present, because the build of the project needs one.
        assert!(ran.unwrap().success(), "shim.c does not compile");
        Some(path)
    };
    LIBRARY.get_or_init(compile).as_deref()
}

/// Returns true if system calls can be made to fail here.
pub fn can_load() -> bool {
    library().is_some()
}

/// The reason why a fault cannot be injected here.
pub const NO_SHIM: &str = "not tried: calls can be made to fail on Linux with glibc alone";

impl Shim<'_> {
    /// Loads the library into a command, if that [is possible](can_load).
    pub fn load(&self, command: &mut Command) {
        let library = library().expect("it was asked before");
        command
            .env("LD_PRELOAD", library)
            .env("FAULT_PATH", self.path)
            .env("FAULT_CALLS", self.calls)
            .env("FAULT_DO", self.what);
        if self.call > 0 {
            command.env("FAULT_AT", self.call.to_string());
        }
    }
}
