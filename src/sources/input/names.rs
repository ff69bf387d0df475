//! Names of inputs: `warc_filename` in the tables, which identifies captures.
//! All names of a scan are different; lists of records and tables of bodies may have several inputs of one name.

use super::{InputOptions, NamedInput};
use crate::InputPlace;
use crate::error::SourceErrorKind;
use errors::Error;
use remote::has_scheme;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

/// The paths of standard input.
const STDIN_PATHS: [&str; 3] = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// The folders of devices and descriptors. Their names do not identify an archive.
const FILE_DESCRIPTOR_FOLDERS: [&str; 2] = ["/dev", "/proc"];

/// The folder of files in memory on Linux. It is below `/dev`, but the names of its files identify archives.
const MEMORY_FOLDER: &str = "/dev/shm";

/// Returns the default name of a file: its path from `crawl-data/` on, otherwise
/// its base name.
pub(super) fn name_from_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    match text.find("crawl-data/") {
        Some(start) if start == 0 || text.as_bytes()[start - 1] == b'/' => text[start..].to_owned(),
        _ => path.file_name().map_or_else(
            || text.to_string(),
            |name| name.to_string_lossy().into_owned(),
        ),
    }
}

/// Returns the name of the archive at a line of a list: the line without folders that are empty or `.` (`./a//b` is
/// `a/b`), so that an archive has one name. `base` is the prefix of the lines.
pub(super) fn name_from_line<'a>(line: &'a str, base: Option<&str>) -> Cow<'a, str> {
    let has_such_folders = line.starts_with("./") || line.contains("/./") || line.contains("//");
    if !has_such_folders || has_scheme(line) {
        return line.into();
    }
    // A server may distinguish `a//b` from `a/b`.
    let keeps_empty = base.is_some_and(|base| has_scheme(base) && !base.starts_with("s3://"));
    let relative = line.trim_start_matches('/');
    let mut name = if relative == line { "" } else { "/" }.to_owned();
    let mut parts = relative.split('/').peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        if is_last {
            name.push_str(part);
        } else if part != "." && (keeps_empty || !part.is_empty()) {
            name.push_str(part);
            name.push('/');
        }
    }
    name.into()
}

/// Names the inputs according to the options, and checks that all names differ.
pub(super) fn assign_names(found: &mut [NamedInput], options: &InputOptions) -> Result<(), Error> {
    if let Some(folder) = &options.relative_to {
        name_by_paths(found, folder)?;
    }
    name_streams(found, options.name.as_deref())?;
    let mut seen: HashMap<&str, &NamedInput> = HashMap::new();
    for input in found.iter() {
        if let Some(first) = seen.insert(&input.name, input) {
            return Err(same_name_error(first, input, found));
        }
    }
    Ok(())
}

/// Names files by their paths below a folder. Lines of a list keep their names.
fn name_by_paths(found: &mut [NamedInput], folder: &Path) -> Result<(), Error> {
    let base = absolute_path(folder);
    for input in found.iter_mut().filter(|input| has_own_path(input)) {
        let path = absolute_path(input.place.display_path());
        let below = path.strip_prefix(&base).ok();
        let Some(below) = below.filter(|below| !below.as_os_str().is_empty()) else {
            let folder = folder.to_owned();
            return Err(Error::new(
                SourceErrorKind::NotBelow { folder },
                input.place.display_path(),
            ));
        };
        let names = below.components().map(Component::as_os_str);
        let names: Vec<_> = names.map(|name| name.to_string_lossy()).collect();
        input.name = names.join("/");
    }
    Ok(())
}

/// Names the streams. The only stream gets the given name, if there is one. Other
/// streams without a path of their own are numbered.
///
/// Descriptors such as `/dev/fd/63` are numbered by the shell, so their paths are
/// not used: the same command gives `stream-1`, `stream-2`, … in any shell.
fn name_streams(found: &mut [NamedInput], name: Option<&str>) -> Result<(), Error> {
    let is_stream = |input: &&mut NamedInput| input.place.is_stream();
    let mut streams: Vec<_> = found.iter_mut().filter(is_stream).collect();
    let mut identities = HashSet::new();
    for input in &streams {
        if let InputPlace::Stream(stream) = &input.place
            && let Some(identity) = stream.identity()
            && !identities.insert(identity)
        {
            return Err(Error::new(
                SourceErrorKind::SameStream,
                stream.display_path(),
            ));
        }
    }
    if let Some(name) = name {
        let [input] = streams.as_mut_slice() else {
            let streams = streams.len();
            return Err(Error::new(SourceErrorKind::StreamName { streams }, name));
        };
        name.clone_into(&mut input.name);
        return Ok(());
    }
    let mut count = 0;
    for input in streams.into_iter().filter(|input| !input.is_listed) {
        let stream_path = input.place.display_path();
        if STDIN_PATHS
            .iter()
            .any(|path| stream_path == Path::new(path))
        {
            "-".clone_into(&mut input.name);
        } else if is_descriptor(stream_path) {
            count += 1;
            input.name = format!("stream-{count}");
        }
    }
    Ok(())
}

/// Returns true if the path of an input can be its name.
fn has_own_path(input: &NamedInput) -> bool {
    let is_stdin = matches!(&input.place, InputPlace::Stream(stream) if stream.is_stdin());
    let is_remote = input.place.url().is_some();
    !input.is_listed && !is_stdin && !is_remote && !is_descriptor(input.place.display_path())
}

/// Returns true if a path is a device or a descriptor of a process.
fn is_descriptor(path: &Path) -> bool {
    let mut folders = FILE_DESCRIPTOR_FOLDERS.iter();
    folders.any(|folder| path.starts_with(folder)) && !path.starts_with(MEMORY_FOLDER)
}

/// Returns the error for two inputs with the same name. It contains the folder
/// below which the paths of all files differ, if there is one.
fn same_name_error(first: &NamedInput, second: &NamedInput, found: &[NamedInput]) -> Error {
    let paths = [first, second].map(|input| input.place.display_path().to_owned());
    if absolute_path(&paths[0]) == absolute_path(&paths[1]) {
        return Error::new(SourceErrorKind::SameInput, &paths[0]);
    }
    let can_rename = has_own_path(first) && has_own_path(second);
    let files = found.iter().filter(|input| has_own_path(input));
    let folder = files
        .map(|input| absolute_path(input.place.display_path()))
        .reduce(|a, b| find_common_folder(&a, &b))
        .filter(|_| can_rename);
    Error::new(SourceErrorKind::SameName { paths, folder }, &first.name)
}

/// Returns the deepest folder that two paths share.
fn find_common_folder(a: &Path, b: &Path) -> PathBuf {
    let pairs = a.components().zip(b.components());
    let same = pairs.take_while(|(a, b)| a == b);
    same.map(|(component, _)| component).collect()
}

/// Returns an absolute path without `.` and `..`. Symbolic links are not followed.
fn absolute_path(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            _ => out.push(component),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_path_below_crawl_data_or_the_base_name() {
        let name = |path: &str| name_from_path(Path::new(path));
        assert_eq!(
            name("/d/crawl-data/CC-MAIN-2025-38/x.warc.gz"),
            "crawl-data/CC-MAIN-2025-38/x.warc.gz"
        );
        assert_eq!(name("crawl-data/a/x.warc.gz"), "crawl-data/a/x.warc.gz");
        assert_eq!(name("/d/not-crawl-data/x.warc.gz"), "x.warc.gz");
        assert_eq!(
            name("https://h/crawl-data/C/x.warc.gz"),
            "crawl-data/C/x.warc.gz"
        );
        assert_eq!(name("s3://bucket/a/b?c#d.warc.gz"), "b?c#d.warc.gz");
    }

    #[test]
    fn an_archive_has_one_name_in_all_lists() {
        for (line, base, name) in [
            ("x", None, "x"),
            ("./x", None, "x"),
            ("a/.//./b", None, "a/b"),
            ("/a//./b", None, "/a/b"),
            ("//a/b", Some("folder"), "/a/b"),
            ("./a//b", Some("s3://bucket"), "a/b"),
            ("./a//b/./c", Some("https://h"), "a//b/c"),
            // These are other files, or none.
            ("a/../b", None, "a/../b"),
            ("https://h/./a", None, "https://h/./a"),
            ("a/", None, "a/"),
            ("a/.", None, "a/."),
            (".", None, "."),
            ("..", None, ".."),
        ] {
            assert_eq!(name_from_line(line, base), name, "{line}");
        }
    }

    fn found(paths: &[&str]) -> Vec<NamedInput> {
        let found = paths.iter().map(|path| NamedInput {
            place: InputPlace::File(path.into()),
            name: name_from_path(Path::new(path)),
            is_listed: false,
        });
        found.collect()
    }

    #[test]
    fn paths_below_the_folder_of_the_error_are_different_names() {
        for (paths, folder, names) in [
            (&["/d/a/x", "/d/b/x"][..], "/d", &["a/x", "b/x"][..]),
            (&["/d/x", "/d/b/x"], "/d", &["x", "b/x"]),
            (
                &["/dev/shm/a/x", "/dev/shm/b/x"],
                "/dev/shm",
                &["a/x", "b/x"],
            ),
            (&["/d/a/../a/x", "/e/./x"], "/", &["d/a/x", "e/x"]),
            (
                &["/d/a/x", "/d/b/x", "/d/b/c/y"],
                "/d",
                &["a/x", "b/x", "b/c/y"],
            ),
        ] {
            let mut inputs = found(paths);
            let mut options = InputOptions::default();
            let error = assign_names(&mut inputs, &options).unwrap_err();
            let Some(SourceErrorKind::SameName {
                folder: Some(found),
                ..
            }) = error.kind()
            else {
                panic!("{error}");
            };
            assert_eq!(found, Path::new(folder));
            options.relative_to = Some(found.clone());
            assign_names(&mut inputs, &options).unwrap();
            let made: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
            assert_eq!(made, names);
        }
    }

    #[test]
    fn two_paths_to_one_file_are_the_same_input() {
        let error = assign_names(
            &mut found(&["/d/x", "/d/./a/../x"]),
            &InputOptions::default(),
        );
        assert_eq!(error.unwrap_err().kind(), Some(&SourceErrorKind::SameInput));
    }
}
