//! An extension of DuckDB with functions that evaluate robots.txt files: the same as those of the Python package.
//!
//! Input: columns of bodies, names of crawlers and URLs. Output: columns of answers. The package depends on `robots`,
//! `crawlers`, `escapes` and `urls`, and not on tables, files or archives. docs/functions.md describes the functions.
//!
//! ```text
//! api.rs        the C interface of DuckDB, with all unsafe code, behind a safe layer
//! functions.rs  the functions that answer row by row
//! lines.rs      robots_lines
//! agents.rs     robots_agents
//! memory.rs     the values that a thread keeps between rows
//! ```

mod agents;
mod api;
mod functions;
mod lines;
mod memory;

use api::Type::{Blob, Boolean, Integer, Timestamp, Varchar};
use api::{Connection, ExtensionAccess, RowFunction, ScalarFunction, Type};
use functions::{body_overloads, policy_overloads};
use std::ffi::c_void;

/// Loads the extension. DuckDB finds this function by its name.
///
/// # Safety
///
/// The arguments are those that DuckDB passes to the entry point of an extension.
#[allow(unsafe_code, reason = "DuckDB finds the function by its name in C")]
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn robots_scan_init_c_api(
    info: *mut c_void,
    access: *const ExtensionAccess,
) -> bool {
    // SAFETY: the condition is that of this function.
    unsafe { api::load(info, access, register) }
}

/// Registers all functions.
fn register(connection: &Connection) -> Result<(), String> {
    let of_text = |answer: RowFunction| {
        vec![ScalarFunction {
            parameters: vec![Varchar],
            result: Varchar,
            may_fail: false,
            takes_nulls: false,
            answer,
        }]
    };
    let of_stored_body = vec![ScalarFunction {
        parameters: vec![Varchar, Boolean],
        result: Blob,
        may_fail: false,
        takes_nulls: false,
        answer: functions::robots_body,
    }];
    let url: &[Type] = &[Varchar, Varchar];
    let preference: &[Type] = &[Varchar, Varchar, Varchar, Timestamp];
    let functions = [
        (
            c"robots_allowed",
            policy_overloads(url, Boolean, functions::robots_allowed),
        ),
        (
            c"robots_line",
            policy_overloads(url, Integer, functions::robots_line),
        ),
        (
            c"robots_verdict",
            policy_overloads(&[Varchar], Varchar, functions::robots_verdict),
        ),
        (
            c"robots_preference",
            policy_overloads(preference, Varchar, functions::robots_preference),
        ),
        (
            c"robots_lines",
            body_overloads(vec![], lines::LINES, true, lines::robots_lines),
        ),
        (c"robots_body", of_stored_body),
        (c"whole_name", of_text(functions::whole_name)),
        (c"url_surtkey", of_text(functions::url_surtkey)),
        (c"surt_host_name", of_text(functions::surt_host_name)),
        #[cfg(debug_assertions)]
        (c"robots_panic", of_text(functions::robots_panic)),
    ];
    for (name, forms) in functions {
        connection.register(name, forms)?;
    }
    connection.register_table(agents::ROBOTS_AGENTS)
}
