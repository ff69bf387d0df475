//! The native module of the Python package.
//!
//! | module | contents |
//! |---|---|
//! | `robots_txt` | the class `RobotsTxt`, which `parse` returns |
//! | `policy_cache` | the rules of a file for single crawlers, computed once |
//! | `table` | the rows of a file in Arrow |
//! | `stream` | the rows of archives in Arrow |
//! | `stream_file` | tables of other libraries, written to files |
//! | `column` | columns of other libraries, read in Arrow |
//! | `functions` | answers for columns of files, crawlers and URLs |
//! | `text` | bodies, names and URLs as bytes |
//! | `command` | the commands, with progress and Ctrl-C |
//! | `error` | exceptions |
//!
//! Whatever takes time runs without the lock of the interpreter. The Python sources beside this folder
//! have the functions that users call; they add defaults, progress and documentation.

mod column;
mod command;
mod error;
mod functions;
mod policy_cache;
mod robots_txt;
mod stream;
mod stream_file;
mod table;
mod text;

use crawlers::CategoryChoice;
use crawlers::CrawlerRegistry;
use crawlers::DialectChoice;
use pyo3::prelude::*;
use std::sync::LazyLock;

/// The built-in registry of crawlers.
static REGISTRY: LazyLock<CrawlerRegistry> = LazyLock::new(CrawlerRegistry::built_in);

/// Parses the name of a dialect. `None` means the default rules.
fn parse_dialect(name: Option<&str>) -> PyResult<DialectChoice> {
    let name = name.unwrap_or(DialectChoice::Default.name());
    DialectChoice::parse(name).map_err(error::refused)
}

/// Parses a category of use.
fn parse_category(text: &str) -> PyResult<CategoryChoice> {
    CategoryChoice::parse(text).map_err(error::refused)
}

/// Refuses an argument that is not the name of one crawler, or is a URL.
#[pyfunction]
fn check_agent_name(agent: &str) -> PyResult<()> {
    REGISTRY.check_agent_name(agent).map_err(error::refused)
}

#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<robots_txt::RobotsTxt>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<stream::TableStream>()?;
    module.add_class::<column::Column>()?;
    module.add_function(wrap_pyfunction!(check_agent_name, module)?)?;
    module.add_function(wrap_pyfunction!(robots_txt::parse, module)?)?;
    module.add_function(wrap_pyfunction!(functions::robots_allowed, module)?)?;
    module.add_function(wrap_pyfunction!(functions::robots_preference, module)?)?;
    module.add_function(wrap_pyfunction!(functions::robots_verdict, module)?)?;
    module.add_function(wrap_pyfunction!(stream::read, module)?)?;
    module.add_function(wrap_pyfunction!(stream::log_warnings, module)?)?;
    module.add_function(wrap_pyfunction!(stream::select_sql, module)?)?;
    module.add_function(wrap_pyfunction!(command::call, module)?)?;
    module.add_function(wrap_pyfunction!(command::main, module)?)?;
    module.add_function(wrap_pyfunction!(command::views_sql, module)?)?;
    module.add_function(wrap_pyfunction!(command::check_values, module)?)?;
    module.add_function(wrap_pyfunction!(stream_file::write_stream, module)?)?;
    Ok(())
}
