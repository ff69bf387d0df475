//! Files on disk, opened, written and removed without following links.
//!
//! Input: paths and bytes. Output: files. The package is independent of
//! the contents of files.
//!
//! All access to files below the folder of a dataset goes through this package:
//!
//! - A symbolic link below that folder is never followed. The folder itself,
//!   and a file that the user names, may be links.
//! - Only regular files are opened. A pipe or a device in the place of a file is
//!   an error, and the run does not wait for it.
//! - A file is created exclusively under a temporary name, and renamed when it is
//!   complete ([`NewFile`]).
//! - Only regular files are removed, and only those whose paths a caller passes.
//!
//! Between a check and the call that follows it, another process could replace a
//! folder by a link. The package protects against existing files, and not against
//! a hostile process that may write to the same folders.

mod line_list;
mod new_file;
mod object;
mod single_file;
mod temp_folder;
mod walk;

pub use line_list::{LineList, ListLine, MAX_LIST_LINE_BYTES};
pub use new_file::NewFile;
pub use object::{ObjectIdentity, without_secrets};
pub use single_file::{SORT_RUN_PREFIX, SingleFile};
pub use temp_folder::{SystemTempFolder, TempFolder};
pub use walk::walk;

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

/// The maximum size of a file that is read into memory as a whole, such as a manifest or a log.
pub(crate) const MAX_WHOLE_FILE_BYTES: u64 = 1 << 30;

/// The type of a file. Symbolic links are not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A regular file.
    Regular,
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Special,
}

impl FileKind {
    /// Converts the type that the operating system reports.
    pub fn from_file_type(file_type: fs::FileType) -> Self {
        if file_type.is_symlink() {
            Self::Link
        } else if file_type.is_dir() {
            Self::Folder
        } else if file_type.is_file() {
            Self::Regular
        } else {
            Self::Special
        }
    }
}

impl fmt::Display for FileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Regular => "a regular file",
            Self::Folder => "a folder",
            Self::Link => "a symbolic link",
            Self::Special => "a pipe, a socket or a device",
        })
    }
}

/// The error for a file of the wrong type.
#[derive(Debug)]
struct WrongFileKind {
    /// The path of a folder above the file that has the wrong type; `None` if the file itself has it.
    folder: Option<PathBuf>,
    /// The type that the file or folder has.
    found: FileKind,
    needed: FileKind,
}

impl fmt::Display for WrongFileKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            folder,
            found,
            needed,
        } = self;
        match folder {
            Some(folder) => write!(f, "'{}' is {found}, not {needed}", folder.display()),
            None => write!(f, "it is {found}, not {needed}"),
        }
    }
}

impl std::error::Error for WrongFileKind {}

fn not_regular_error(found: FileKind) -> io::Error {
    let (folder, needed) = (None, FileKind::Regular);
    let error = WrongFileKind {
        folder,
        found,
        needed,
    };
    io::Error::new(io::ErrorKind::InvalidInput, error)
}

fn not_a_folder_error(path: &Path, found: FileKind) -> io::Error {
    let (folder, needed) = (Some(path.to_owned()), FileKind::Folder);
    let error = WrongFileKind {
        folder,
        found,
        needed,
    };
    io::Error::new(io::ErrorKind::InvalidInput, error)
}

/// Returns the type of a file, or `None` if it does not exist.
pub fn file_kind(path: &Path) -> io::Result<Option<FileKind>> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(FileKind::from_file_type(metadata.file_type()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns true if a path is a regular file and not a link to one.
pub fn is_regular(path: &Path) -> bool {
    matches!(file_kind(path), Ok(Some(FileKind::Regular)))
}

/// Opens a regular file for reading. A symbolic link is an error.
pub fn open(path: &Path) -> io::Result<File> {
    open_with_options(path, OpenOptions::new().read(true))
}

/// Opens a regular file at a path that the user gave, for reading. The path may be a link.
pub fn open_user_file(path: &Path) -> io::Result<File> {
    open(&fs::canonicalize(path)?)
}

/// Opens a regular file below a folder. A link on the path to it is an error.
pub fn open_below(root: &Path, relative: &Path) -> io::Result<File> {
    if !check_folders(root, relative)? {
        return Err(io::ErrorKind::NotFound.into());
    }
    open(&root.join(relative))
}

/// Opens a regular file with these options, which may create it. A symbolic link is an error.
pub fn open_with_options(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    // The type is checked first, because opening a device can have an effect, and opening a
    // pipe can block.
    if let Some(found) = file_kind(path)?.filter(|found| *found != FileKind::Regular) {
        return Err(not_regular_error(found));
    }
    let flags = libc::O_NOFOLLOW | libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = options.custom_flags(flags).open(path)?;
    let found = FileKind::from_file_type(file.metadata()?.file_type());
    match found {
        FileKind::Regular => Ok(file),
        _ => Err(not_regular_error(found)),
    }
}

/// Creates a file. An existing file, even a link, is an error.
pub fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Reads a small regular file into memory.
///
/// # Errors
///
/// Those of [`open`], and one for a file of more than [`MAX_WHOLE_FILE_BYTES`].
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open(path)?;
    let read = file
        .take(MAX_WHOLE_FILE_BYTES + 1)
        .read_to_end(&mut bytes)?;
    if read as u64 > MAX_WHOLE_FILE_BYTES {
        Err(io::ErrorKind::FileTooLarge.into())
    } else {
        Ok(bytes)
    }
}

/// Reads a file at a path that the user gave into memory. It may be a pipe, which has no size.
///
/// # Errors
///
/// Those of reading, and one for a file of more than `max_bytes`.
pub fn read_user_file(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_limited(&mut File::open(path)?, max_bytes)
}

/// Reads a source to its end.
///
/// # Errors
///
/// Those of reading, and one for a source of more than `max_bytes`.
pub fn read_limited(source: &mut dyn Read, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(max_bytes + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        let why = format!("it has more than {max_bytes} bytes");
        Err(io::Error::other(why))
    } else {
        Ok(bytes)
    }
}

/// Returns the size of the regular file `relative` below `root`. Returns `None` if it does
/// not exist, is not a regular file, or a folder between it and `root` is a link.
pub fn file_size_below(root: &Path, relative: &Path) -> Option<u64> {
    if !check_folders(root, relative).ok()? {
        return None;
    }
    let metadata = fs::symlink_metadata(root.join(relative)).ok()?;
    metadata.is_file().then_some(metadata.len())
}

/// Returns the paths and types of the entries of a folder, sorted by name; none if the
/// folder does not exist.
///
/// # Errors
///
/// Those of reading the folder, and one if it is a link or a file.
pub fn list_folder(folder: &Path) -> io::Result<Vec<(PathBuf, FileKind)>> {
    match file_kind(folder)? {
        None => return Ok(Vec::new()),
        Some(FileKind::Folder) => {}
        Some(found) => return Err(not_a_folder_error(folder, found)),
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        found.push((entry.path(), FileKind::from_file_type(entry.file_type()?)));
    }
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(found)
}

/// Checks that the folders between `root` and the file at `root/relative` are folders and
/// not links. Returns false if one of them does not exist.
///
/// # Errors
///
/// An error if one of these folders is a link or a file, or if `relative` has `..` or is absolute.
pub fn check_folders(root: &Path, relative: &Path) -> io::Result<bool> {
    for folder in intermediate_folders(root, relative)? {
        match file_kind(&folder)? {
            None => return Ok(false),
            Some(FileKind::Folder) => {}
            Some(found) => return Err(not_a_folder_error(&folder, found)),
        }
    }
    Ok(true)
}

/// Creates the folders between `root` and the file at `root/relative`.
fn create_folders(root: &Path, relative: &Path) -> io::Result<()> {
    for folder in intermediate_folders(root, relative)? {
        match fs::create_dir(&folder) {
            Ok(()) => sync_folder(folder.parent().unwrap_or(root))?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => match file_kind(&folder)?
            {
                Some(FileKind::Folder) | None => {}
                Some(found) => return Err(not_a_folder_error(&folder, found)),
            },
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Returns the folders between `root` and the file at `root/relative`, the outermost first.
fn intermediate_folders(root: &Path, relative: &Path) -> io::Result<Vec<PathBuf>> {
    let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
    if !relative.components().all(is_plain) {
        let why = format!("'{}' is not a path below a folder", relative.display());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
    }
    let ancestors = relative.ancestors().skip(1);
    let inner = ancestors.filter(|folder| !folder.as_os_str().is_empty());
    let mut folders: Vec<PathBuf> = inner.map(|folder| root.join(folder)).collect();
    folders.reverse();
    Ok(folders)
}

/// Removes the regular file `relative` below `root`, if it exists. A file of another type, or
/// one that is reached through a link below `root`, is not removed.
pub fn remove_below(root: &Path, relative: &Path) -> io::Result<()> {
    let is_reached = check_folders(root, relative).unwrap_or(false);
    if is_reached && is_regular(&root.join(relative)) {
        remove(&root.join(relative))
    } else {
        Ok(())
    }
}

/// Removes the folders above `relative` that are empty, but not `root`.
pub fn remove_empty_folders(root: &Path, relative: &Path) {
    let folders = intermediate_folders(root, relative).unwrap_or_default();
    for folder in folders.iter().rev() {
        // This fails for a folder that is not empty, and does not follow links.
        match fs::remove_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => break,
            _ => {}
        }
    }
}

/// Removes a file. A file that does not exist is not an error.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Removes the numbered files of a folder, such as `run-0` for the prefix `run-`,
/// and then the folder. If the folder has other entries, these and the folder are kept.
fn remove_numbered_files(folder: &Path, prefix: &str, suffix: &str) -> io::Result<()> {
    if file_kind(folder)? != Some(FileKind::Folder) {
        return Ok(());
    }
    for (path, kind) in list_folder(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let number = name.strip_prefix(prefix);
        let number = number.and_then(|name| name.strip_suffix(suffix));
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        if kind == FileKind::Regular && number.is_some_and(is_number) {
            remove(&path)?;
        }
    }
    let _ = fs::remove_dir(folder);
    Ok(())
}

/// Syncs a folder to the disk, so that the names of its files survive a crash.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    File::open(folder)?.sync_all()
}

/// Returns sixteen random hexadecimal digits, different in each run.
pub(crate) fn random_token() -> String {
    format!("{:016x}", RandomState::new().hash_one(std::process::id()))
}

/// Returns true if a text has the form of [`random_token`].
fn is_random_token(text: &str) -> bool {
    text.len() == 16
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns the device and the inode of a file, which are the same for all paths to the file.
fn file_identity(metadata: &Metadata) -> (u64, u64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::process::Command;

    #[test]
    fn only_regular_files_are_opened() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        fs::write(path("file"), b"text").unwrap();
        symlink("file", path("link")).unwrap();
        symlink("nothing", path("dangling")).unwrap();
        fs::create_dir(path("folder")).unwrap();
        symlink("folder", path("alias")).unwrap();
        let made = Command::new("mkfifo").arg(path("pipe")).status();
        assert!(made.unwrap().success());
        assert_eq!(read(&path("file")).unwrap(), b"text");
        for (name, words) in [
            ("link", "a symbolic link, not a regular file"),
            ("dangling", "a symbolic link"),
            ("folder", "a folder, not a regular file"),
            ("pipe", "a pipe, a socket or a device"),
        ] {
            let error = open(&path(name)).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        // A path that the user gave may be a link, but not a pipe.
        assert!(open_user_file(&path("link")).is_ok());
        assert!(open_user_file(&path("pipe")).is_err());
        assert_eq!(
            open(&path("none")).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
        assert!(list_folder(&path("alias")).is_err());
        fs::write(path("folder/x"), b"text").unwrap();
        let below = |name: &str| open_below(place.path(), Path::new(name));
        assert!(below("folder/x").is_ok());
        for name in ["alias/x", "folder/../file", "/etc/passwd", "..", "none/x"] {
            assert!(below(name).is_err(), "{name}");
        }
    }

    #[test]
    fn nothing_is_removed_or_created_behind_a_link() {
        let (place, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (root, victim) = (place.path(), other.path().join("victim"));
        fs::write(&victim, b"precious").unwrap();
        symlink(other.path(), root.join("link")).unwrap();
        symlink(&victim, root.join("alias")).unwrap();
        for name in ["link/victim", "alias", "none", "none/x"] {
            remove_below(root, Path::new(name)).unwrap();
        }
        assert!(create_folders(root, Path::new("link/new/x")).is_err());
        assert_eq!(fs::read_dir(other.path()).unwrap().count(), 1);
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
        assert!(root.join("alias").exists());
        create_folders(root, Path::new("a/b/x")).unwrap();
        fs::write(root.join("a/b/x"), b"").unwrap();
        remove_empty_folders(root, Path::new("a/b/x"));
        assert!(root.join("a/b").exists());
        remove_below(root, Path::new("a/b/x")).unwrap();
        remove_empty_folders(root, Path::new("a/b/x"));
        assert!(!root.join("a").exists() && root.exists());
    }
}
