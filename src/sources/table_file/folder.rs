//! Folders of Parquet files, as query engines write them.

use super::table_error;
use crate::error::TableDefect;
use errors::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// The deepest level of folders that is searched. The index of Common Crawl has
/// two levels, `crawl=…/subset=…`.
const MAX_DEPTH: usize = 8;

/// Returns the `*.parquet` files of a folder and its subfolders, sorted by path.
///
/// Names that begin with `.` or `_` are skipped, as in Hive, Spark and DuckDB.
/// Symbolic links are not followed. A link to a folder, or with the name of a Parquet file, is an
/// error, so that no file is left out silently.
///
/// # Errors
///
/// [`ErrorKind::Read`](errors::ErrorKind::Read);
/// [`SourceErrorKind::NotATable`](crate::error::SourceErrorKind::NotATable) if there is no such file, for a link or special file, and for folders that are nested too deep.
pub fn find_parquet_files(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    collect_files(folder, MAX_DEPTH, &mut files)?;
    if files.is_empty() {
        let defect = TableDefect::other("the folder holds no file named *.parquet");
        return Err(table_error(defect, folder));
    }
    files.sort();
    Ok(files)
}

fn collect_files(folder: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let read_error = |error| Error::read(folder, error);
    for entry in fs::read_dir(folder).map_err(read_error)? {
        let entry = entry.map_err(read_error)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(['.', '_']) {
            continue;
        }
        let path = entry.path();
        let refuse = |why| Err(table_error(TableDefect::other(why), &path));
        let kind = entry.file_type().map_err(read_error)?;
        let is_parquet = name.to_ascii_lowercase().ends_with(".parquet");
        if kind.is_symlink() && (is_parquet || path.is_dir()) {
            return refuse("it is a symbolic link in a folder, which is not followed");
        }
        if kind.is_dir() && depth == 0 {
            return refuse("its folders are nested too deep");
        }
        if kind.is_dir() {
            collect_files(&path, depth - 1, files)?;
        } else if is_parquet && !kind.is_file() {
            return refuse("it is not a regular file");
        } else if is_parquet {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_partitions_are_found_in_the_order_of_their_paths() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        };
        let found = || -> Result<Vec<String>, Error> {
            let files = find_parquet_files(root.path())?;
            let name = |path: &PathBuf| {
                let path = path.strip_prefix(root.path()).unwrap();
                path.to_str().unwrap().replace('\\', "/")
            };
            Ok(files.iter().map(name).collect())
        };
        write("_SUCCESS");
        write("readme.txt");
        let error = found().unwrap_err().to_string();
        assert!(error.contains("no file named *.parquet"), "{error}");
        for name in [
            "crawl=B/subset=warc/part-1.gz.parquet",
            "crawl=B/subset=warc/part-0.gz.parquet",
            "crawl=A/subset=warc/part-9.PARQUET",
            "_temporary/part-2.parquet",
            ".part-0.parquet.crc",
            ".hidden.parquet",
        ] {
            write(name);
        }
        assert_eq!(
            found().unwrap(),
            [
                "crawl=A/subset=warc/part-9.PARQUET",
                "crawl=B/subset=warc/part-0.gz.parquet",
                "crawl=B/subset=warc/part-1.gz.parquet",
            ]
        );
        write("1/2/3/4/5/6/7/8/x.parquet");
        assert_eq!(found().unwrap().len(), 4);
        write("1/2/3/4/5/6/7/8/9/x.parquet");
        let error = found().unwrap_err().to_string();
        assert!(error.contains("nested too deep"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_in_the_folder_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("list");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("a.parquet"), "").unwrap();
        fs::write(root.path().join("b.parquet"), "").unwrap();
        for (target, name) in [("../b.parquet", "b.parquet"), ("..", "up")] {
            let link = folder.join(name);
            std::os::unix::fs::symlink(target, &link).unwrap();
            let error = find_parquet_files(&folder).unwrap_err().to_string();
            assert!(error.contains("symbolic link"), "{error}");
            fs::remove_file(link).unwrap();
        }
        assert_eq!(find_parquet_files(&folder).unwrap().len(), 1);
    }
}
