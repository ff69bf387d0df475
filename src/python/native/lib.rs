//! The native module of the Python package.
//!
//! | module | contents |
//! |---|---|
//! | `robots_txt` | the class `RobotsTxt`, which `parse` returns |
//! | `policy_cache` | the rules of a file for single crawlers, computed once |
//! | `table` | the rows of a file in Arrow |
//! | `stream` | the rows of archives in Arrow |
//! | `stream_file` | tables of other libraries, written to files |
//! | `agent_name` | names of crawlers, and User-Agent headers, which are refused |
//! | `argument_checks` | arguments that are mistaken for one another |
//! | `column` | columns of other libraries, read in Arrow |
//! | `functions` | answers for columns of files, crawlers and URLs |
//! | `text` | bodies, names and URLs as bytes |
//! | `command` | the commands, with progress and Ctrl-C |
//! | `error` | exceptions |
//!
//! Whatever takes time runs without the lock of the interpreter. The Python sources beside this folder
//! have the functions that users call; they add defaults, progress and documentation.

mod agent_name;
mod argument_checks;
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
use robots::Dialect;
use std::sync::LazyLock;

/// The built-in registry of crawlers.
static REGISTRY: LazyLock<CrawlerRegistry> = LazyLock::new(CrawlerRegistry::built_in);

/// Parses the name of a dialect. `None` means the default rules.
fn parse_dialect(name: Option<&str>) -> PyResult<DialectChoice> {
    let Some(name) = name.filter(|name| *name != "default") else {
        return Ok(DialectChoice::Default);
    };
    let found = Dialect::ALL
        .into_iter()
        .find(|dialect| dialect.name() == name);
    found.map(DialectChoice::Dialect).ok_or_else(|| {
        let names = Dialect::ALL.map(Dialect::name).join(", ");
        let text = format!("there is no dialect '{name}'");
        error::usage_error(&text, Some(&format!("choose from default, {names}")))
    })
}

/// Parses a category of use.
fn parse_category(text: &str) -> PyResult<CategoryChoice> {
    CategoryChoice::parse(text).ok_or_else(|| {
        let hint = format!("choose from {}", CategoryChoice::NAMES);
        error::usage_error(&format!("there is no category {text:?}"), Some(&hint))
    })
}

#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<robots_txt::RobotsTxt>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<stream::TableStream>()?;
    module.add_class::<column::Column>()?;
    module.add_function(wrap_pyfunction!(agent_name::check_agent_name, module)?)?;
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
