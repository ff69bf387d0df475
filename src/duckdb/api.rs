//! The C interface of DuckDB, and a safe layer over it. All unsafe code of the extension is here.
//!
//! DuckDB passes a table of function pointers, of which the first 357 are those of version v1.2.0 of the interface and
//! never change. [`Api`] holds the few that are used, read by their indexes in the table. Functions that write into
//! vectors throw an exception of C++ if memory is short, which passes through the frames of Rust to DuckDB. It must not
//! pass a `catch_unwind`, which would end the process. Therefore answers are computed inside of a `catch_unwind`
//! ([`catch`]), and written outside of it.
#![allow(
    unsafe_code,
    reason = "it calls DuckDB, whose interface is one of C pointers"
)]

use crate::memory::Memory;
use std::any::Any;
use std::borrow::Cow;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;
use std::sync::OnceLock;

/// The version of the interface that the extension requests: the oldest that has all functions below.
const API_VERSION: &CStr = c"v1.2.0";

/// An opaque pointer to a value of DuckDB.
type Handle = *mut c_void;

/// The functions that DuckDB passes to the entry point of an extension.
#[repr(C)]
pub struct ExtensionAccess {
    set_error: unsafe extern "C-unwind" fn(Handle, *const c_char),
    get_database: unsafe extern "C-unwind" fn(Handle) -> *mut Handle,
    get_api: unsafe extern "C-unwind" fn(Handle, *const c_char) -> *const *const c_void,
}

macro_rules! api {
    ($($name:ident = $place:literal: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions of the interface that are used.
        struct Api {
            $($name: unsafe extern "C-unwind" fn($($argument),*) $(-> $result)?,)*
        }

        impl Api {
            /// Reads the pointers from the table.
            ///
            /// # Safety
            ///
            /// `table` is what `get_api` returned for [`API_VERSION`].
            unsafe fn read(table: *const *const c_void) -> Self {
                // SAFETY: the places are those of version v1.2.0, whose functions have these types.
                unsafe {
                    Self {
                        $($name: std::mem::transmute::<*const c_void, unsafe extern "C-unwind" fn($($argument),*) $(-> $result)?>(
                            *table.add($place),
                        ),)*
                    }
                }
            }
        }
    };
}

api! {
    connect = 3: fn(Handle, *mut Handle) -> u32;
    disconnect = 6: fn(*mut Handle);
    vector_size = 26: fn() -> u64;
    create_logical_type = 156: fn(u32) -> Handle;
    create_list_type = 159: fn(Handle) -> Handle;
    create_struct_type = 163: fn(*mut Handle, *mut *const c_char, u64) -> Handle;
    destroy_logical_type = 184: fn(*mut Handle);
    chunk_vector = 190: fn(Handle, u64) -> Handle;
    chunk_size = 191: fn(Handle) -> u64;
    set_chunk_size = 192: fn(Handle, u64);
    vector_data = 194: fn(Handle) -> *mut c_void;
    vector_validity = 195: fn(Handle) -> *mut u64;
    ensure_validity = 196: fn(Handle);
    assign_text = 198: fn(Handle, u64, *const c_char, u64);
    list_child = 199: fn(Handle) -> Handle;
    list_size = 200: fn(Handle) -> u64;
    set_list_size = 201: fn(Handle, u64) -> u32;
    reserve_list = 202: fn(Handle, u64) -> u32;
    struct_child = 203: fn(Handle, u64) -> Handle;
    set_row_invalid = 207: fn(*mut u64, u64);
    create_function = 209: fn() -> Handle;
    destroy_function = 210: fn(*mut Handle);
    set_function_name = 211: fn(Handle, *const c_char);
    set_special_handling = 213: fn(Handle);
    set_volatile = 214: fn(Handle);
    add_parameter = 215: fn(Handle, Handle);
    set_return_type = 216: fn(Handle, Handle);
    set_extra_info = 217: fn(Handle, *mut c_void, Option<unsafe extern "C-unwind" fn(*mut c_void)>);
    set_callback = 218: fn(Handle, unsafe extern "C-unwind" fn(Handle, Handle, Handle));
    get_extra_info = 220: fn(Handle) -> *mut c_void;
    set_error = 221: fn(Handle, *const c_char);
    create_function_set = 222: fn(*const c_char) -> Handle;
    destroy_function_set = 223: fn(*mut Handle);
    add_to_function_set = 224: fn(Handle, Handle) -> u32;
    register_function_set = 225: fn(Handle, Handle) -> u32;
    create_table_function = 242: fn() -> Handle;
    destroy_table_function = 243: fn(*mut Handle);
    set_table_function_name = 244: fn(Handle, *const c_char);
    set_bind = 248: fn(Handle, unsafe extern "C-unwind" fn(Handle));
    set_init = 249: fn(Handle, unsafe extern "C-unwind" fn(Handle));
    set_table_callback = 251: fn(Handle, unsafe extern "C-unwind" fn(Handle, Handle));
    register_table_function = 253: fn(Handle, Handle) -> u32;
    add_result_column = 255: fn(Handle, *const c_char, Handle);
    set_init_data = 264: fn(Handle, *mut c_void, Option<unsafe extern "C-unwind" fn(*mut c_void)>);
    get_init_data = 271: fn(Handle) -> *mut c_void;
    set_table_error = 273: fn(Handle, *const c_char);
}

/// The index of `connect` in the table. Its pointer differs between two copies of DuckDB in one process.
const CONNECT_PLACE: usize = 3;

/// The interface of the copy of DuckDB that was the first to load the extension in this process.
static API: OnceLock<Api> = OnceLock::new();

/// Returns the interface.
fn api() -> &'static Api {
    API.get().expect("the entry point has read the interface")
}

/// A type of SQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// True or false.
    Boolean,
    /// A 32-bit integer.
    Integer,
    /// A 64-bit integer.
    BigInt,
    /// Microseconds since 1970.
    Timestamp,
    /// Text.
    Varchar,
    /// Bytes.
    Blob,
    List(&'static Type),
    /// A row of named fields.
    Struct(&'static [(&'static CStr, Type)]),
}

/// A handle of a type in DuckDB. The type is released when the handle is dropped.
struct LogicalType(Handle);

impl LogicalType {
    fn new(kind: Type) -> Self {
        let api = api();
        let primitive = |id| {
            // SAFETY: any id of a type without parameters is allowed.
            Self(unsafe { (api.create_logical_type)(id) })
        };
        match kind {
            Type::Boolean => primitive(1),
            Type::Integer => primitive(4),
            Type::BigInt => primitive(5),
            Type::Timestamp => primitive(12),
            Type::Varchar => primitive(17),
            Type::Blob => primitive(18),
            Type::List(item) => {
                let item = Self::new(*item);
                // SAFETY: the type of the items exists until the end of the call.
                Self(unsafe { (api.create_list_type)(item.0) })
            }
            Type::Struct(fields) => {
                let types: Vec<Self> = fields.iter().map(|(_, kind)| Self::new(*kind)).collect();
                let mut handles: Vec<Handle> = types.iter().map(|kind| kind.0).collect();
                let mut names: Vec<*const c_char> =
                    fields.iter().map(|(name, _)| name.as_ptr()).collect();
                let count = fields.len() as u64;
                // SAFETY: both arrays have `count` entries, which exist until the end of the call.
                Self(unsafe {
                    (api.create_struct_type)(handles.as_mut_ptr(), names.as_mut_ptr(), count)
                })
            }
        }
    }
}

impl Drop for LogicalType {
    fn drop(&mut self) {
        // SAFETY: the handle was created by `new`, and is not used afterwards.
        unsafe { (api().destroy_logical_type)(&mut self.0) }
    }
}

/// A scalar function of SQL, with the parameters of one of its overloads.
pub(crate) struct ScalarFunction {
    pub(crate) parameters: Vec<Type>,
    pub(crate) result: Type,
    /// True if an argument can be invalid, which stops the query. Such a function is registered as volatile, because
    /// DuckDB evaluates other functions also for values that no selected row has.
    pub(crate) may_fail: bool,
    /// True if an argument may be null; the answers of other functions are null then.
    pub(crate) takes_nulls: bool,
    /// Computes the answer of a row. An error stops the query.
    pub(crate) answer: RowFunction,
}

/// A function that computes the answer of a row, with the memory that the rows of a call share.
pub(crate) type RowFunction = for<'a> fn(Row<'a>, &mut Memory<'a>) -> RowAnswer;

/// The answer of a row, or the error that stops the query.
pub(crate) type RowAnswer = Result<Answer, String>;

/// The answer of a row.
pub(crate) enum Answer {
    Null,
    /// A value of the type BOOLEAN.
    Boolean(bool),
    /// A value of the type INTEGER.
    Integer(u32),
    /// A value of the type VARCHAR.
    Text(Cow<'static, str>),
    /// A value of the type BLOB.
    Bytes(Vec<u8>),
    List(Vec<Answer>),
    /// A row of fields.
    Struct(Vec<Answer>),
}

impl Answer {
    /// Returns a text, or null.
    pub(crate) fn text(text: Option<impl Into<Cow<'static, str>>>) -> Self {
        text.map_or(Self::Null, |text| Self::Text(text.into()))
    }

    /// Returns an integer, or null.
    pub(crate) fn integer(number: Option<u32>) -> Self {
        number.map_or(Self::Null, Self::Integer)
    }
}

/// A function of SQL that returns a table and has no parameters.
pub(crate) struct TableFunction {
    pub(crate) name: &'static CStr,
    pub(crate) columns: &'static [(&'static CStr, Type)],
    /// Returns the values of a row by its number; `None` after the last one.
    pub(crate) row: fn(usize) -> Option<Vec<Answer>>,
}

/// The rows of a chunk that DuckDB passes to a function.
struct Rows {
    len: usize,
    columns: Vec<Column>,
    types: &'static [Type],
}

/// A column of a chunk.
struct Column {
    data: *const c_void,
    /// A bit for each row, which is set unless the value is null. A null pointer means that no value is null.
    validity: *const u64,
}

/// Text or bytes as DuckDB stores them.
#[repr(C)]
struct StoredText {
    len: u32,
    /// The text itself if it has at most 12 bytes; otherwise its first four bytes, and its address.
    bytes: [u8; 12],
}

impl Rows {
    /// Reads the vectors of a chunk.
    ///
    /// # Safety
    ///
    /// `chunk` has columns of these types, whose vectors are flat, as DuckDB passes them to scalar functions.
    unsafe fn read(chunk: Handle, types: &'static [Type]) -> Self {
        let api = api();
        // SAFETY: the chunk has these columns, as the caller guarantees.
        unsafe {
            let column = |i| {
                let vector = (api.chunk_vector)(chunk, i as u64);
                Column {
                    data: (api.vector_data)(vector),
                    validity: (api.vector_validity)(vector),
                }
            };
            Self {
                len: (api.chunk_size)(chunk) as usize,
                columns: (0..types.len()).map(column).collect(),
                types,
            }
        }
    }

    fn row(&self, number: usize) -> Row<'_> {
        Row { rows: self, number }
    }
}

/// A row of a chunk.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    rows: &'a Rows,
    number: usize,
}

impl<'a> Row<'a> {
    /// Returns the number of arguments of the call.
    pub(crate) fn argument_count(self) -> usize {
        self.rows.columns.len()
    }

    /// Returns the type of a column.
    pub(crate) fn type_of(self, column: usize) -> Type {
        self.rows.types[column]
    }

    /// Returns true if a value is null.
    pub(crate) fn is_null(self, column: usize) -> bool {
        self.value::<u8>(column).is_none()
    }

    /// Returns the address of a value; `None` if the value is null.
    fn value<T>(self, column: usize) -> Option<*const T> {
        let row = self.number;
        assert!(row < self.rows.len, "the row is in the chunk");
        let column = &self.rows.columns[column];
        // SAFETY: the row is in the chunk, and both the bits and the data of a flat vector cover all rows.
        unsafe {
            let is_valid =
                column.validity.is_null() || *column.validity.add(row / 64) >> (row % 64) & 1 == 1;
            is_valid.then(|| column.data.cast::<T>().add(row))
        }
    }

    /// Returns the text or the bytes in a column of type VARCHAR or BLOB; `None` for null.
    pub(crate) fn bytes(self, column: usize) -> Option<&'a [u8]> {
        assert!(matches!(
            self.rows.types[column],
            Type::Varchar | Type::Blob
        ));
        let text = self.value::<StoredText>(column)?;
        // SAFETY: the type of the column is VARCHAR or BLOB, and its values exist as long as the chunk.
        unsafe {
            let len = (*text).len as usize;
            let start = match len {
                0..=12 => (&raw const (*text).bytes).cast::<u8>(),
                _ => text
                    .cast::<u8>()
                    .add(8)
                    .cast::<*const u8>()
                    .read_unaligned(),
            };
            Some(std::slice::from_raw_parts(start, len))
        }
    }

    /// Returns the number in a column of type BIGINT or TIMESTAMP; `None` for null.
    pub(crate) fn number(self, column: usize) -> Option<i64> {
        assert!(matches!(
            self.rows.types[column],
            Type::BigInt | Type::Timestamp
        ));
        // SAFETY: the values of the type are 64-bit integers.
        self.value::<i64>(column).map(|value| unsafe { *value })
    }

    /// Returns the value in a column of type BOOLEAN; `None` for null.
    pub(crate) fn boolean(self, column: usize) -> Option<bool> {
        assert_eq!(self.rows.types[column], Type::Boolean);
        // SAFETY: the values of the type are bytes.
        self.value::<u8>(column).map(|value| unsafe { *value } != 0)
    }
}

/// A vector into which answers are written: the results of a function, the items of lists, or a field of structs.
struct Output {
    vector: Handle,
    /// The number of rows that the vector has room for.
    len: usize,
}

impl Output {
    /// Writes an answer, which is of the type of the vector, into a row.
    ///
    /// # Errors
    ///
    /// An error if there is not enough memory for a list.
    fn write(&self, row: usize, answer: &Answer) -> Result<(), String> {
        assert!(row < self.len && !self.vector.is_null());
        let api = api();
        let row_no = row as u64;
        match answer {
            // SAFETY: the validity exists after the first call, and has a bit for each row.
            Answer::Null => unsafe {
                (api.ensure_validity)(self.vector);
                (api.set_row_invalid)((api.vector_validity)(self.vector), row_no);
            },
            Answer::Boolean(value) => self.set(row, u8::from(*value)),
            Answer::Integer(value) => self.set(row, i32::try_from(*value).unwrap_or(i32::MAX)),
            Answer::Text(text) => self.set_bytes(row_no, text.as_bytes()),
            Answer::Bytes(bytes) => self.set_bytes(row_no, bytes),
            Answer::List(items) => {
                // SAFETY: room is reserved before the size is set, and the vector of the items exists as long as the list.
                let (start, items_of_all) = unsafe {
                    let start = (api.list_size)(self.vector);
                    let end = start + items.len() as u64;
                    let is_reserved = (api.reserve_list)(self.vector, end) == 0
                        && (api.set_list_size)(self.vector, end) == 0;
                    if !is_reserved {
                        return Err("there is not enough memory for the list".to_owned());
                    }
                    let vector = (api.list_child)(self.vector);
                    let len = end as usize;
                    (start, Self { vector, len })
                };
                self.set(row, [start, items.len() as u64]);
                for (place, item) in (start as usize..).zip(items) {
                    items_of_all.write(place, item)?;
                }
            }
            Answer::Struct(fields) => {
                for (index, field) in (0..).zip(fields) {
                    // SAFETY: the type has this field, and its vector exists as long as the struct.
                    let vector = unsafe { (api.struct_child)(self.vector, index) };
                    let len = self.len;
                    Self { vector, len }.write(row, field)?;
                }
            }
        }
        Ok(())
    }

    fn set_bytes(&self, row: u64, bytes: &[u8]) {
        let len = bytes.len() as u64;
        // SAFETY: DuckDB copies the bytes, and the row is in the vector.
        unsafe { (api().assign_text)(self.vector, row, bytes.as_ptr().cast(), len) }
    }

    fn set<T>(&self, row: usize, value: T) {
        // SAFETY: `write` has checked the row, and its answer has the type of the vector.
        unsafe {
            (api().vector_data)(self.vector)
                .cast::<T>()
                .add(row)
                .write(value)
        }
    }
}

/// Calls a function that must not call DuckDB, and returns its result. A panic becomes an error.
fn catch<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| Err(panic_text(&*panic)))
}

fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    format!("robots_scan has a bug: {}", text.unwrap_or_default())
}

/// Returns a text for C, in which a backslash and a zero replace each NUL.
fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', "\\0")).unwrap_or_default()
}

/// Computes the answers of a chunk. DuckDB calls it for every scalar function.
unsafe extern "C-unwind" fn call_scalar(info: Handle, chunk: Handle, result: Handle) {
    let api = api();
    // SAFETY: `register` has set the extra information to a function that is never released.
    let function: &'static ScalarFunction =
        unsafe { &*(api.get_extra_info)(info).cast::<ScalarFunction>() };
    // SAFETY: the chunk has a column for each parameter.
    let rows = unsafe { Rows::read(chunk, &function.parameters) };
    let output = Output {
        vector: result,
        len: rows.len,
    };
    // If an error or an exception of DuckDB ends the call, this memory is dropped, and the next call begins with an
    // empty one.
    let mut memory = Memory::take();
    for row in 0..rows.len {
        let answer = catch(|| (function.answer)(rows.row(row), &mut memory));
        if let Err(error) = answer.and_then(|answer| output.write(row, &answer)) {
            // SAFETY: DuckDB copies the text.
            return unsafe { (api.set_error)(info, c_text(&error).as_ptr()) };
        }
    }
    memory.keep();
}

/// The only table function, which the callbacks for DuckDB below use.
static TABLE_FUNCTION: OnceLock<TableFunction> = OnceLock::new();

fn table_function() -> &'static TableFunction {
    TABLE_FUNCTION
        .get()
        .expect("it is set before it is registered")
}

unsafe extern "C-unwind" fn bind_table(info: Handle) {
    for (name, kind) in table_function().columns {
        let kind = LogicalType::new(*kind);
        // SAFETY: DuckDB copies the name and the type.
        unsafe { (api().add_result_column)(info, name.as_ptr(), kind.0) }
    }
}

/// Begins a scan of the table function: stores the number of rows that were written so far, which is 0.
unsafe extern "C-unwind" fn init_table(info: Handle) {
    unsafe extern "C-unwind" fn release(rows: *mut c_void) {
        // SAFETY: it was made by `Box::into_raw` below.
        drop(unsafe { Box::from_raw(rows.cast::<usize>()) });
    }
    let rows = Box::into_raw(Box::new(0_usize));
    // SAFETY: DuckDB releases the number with the state of the scan.
    unsafe { (api().set_init_data)(info, rows.cast(), Some(release)) }
}

unsafe extern "C-unwind" fn call_table(info: Handle, chunk: Handle) {
    let api = api();
    let function = table_function();
    // SAFETY: `init_table` has set the number, which one thread uses; the chunk has the columns of `bind_table`.
    unsafe {
        let written = &mut *(api.get_init_data)(info).cast::<usize>();
        let len = (api.vector_size)() as usize;
        let mut row = 0;
        while row < len {
            let result = catch(|| Ok((function.row)(*written))).and_then(|values| {
                for (column, value) in values.iter().flatten().enumerate() {
                    let vector = (api.chunk_vector)(chunk, column as u64);
                    Output { vector, len }.write(row, value)?;
                }
                Ok(values.is_some())
            });
            match result {
                Ok(true) => (*written, row) = (*written + 1, row + 1),
                Ok(false) => break,
                Err(error) => return (api.set_table_error)(info, c_text(&error).as_ptr()),
            }
        }
        (api.set_chunk_size)(chunk, row as u64);
    }
}

/// A connection to the database that loads the extension.
pub(crate) struct Connection(Handle);

impl Connection {
    /// Registers a function under a name, with all its overloads (`forms`).
    ///
    /// # Errors
    ///
    /// An error if DuckDB refuses it, for example because another function has the name.
    pub(crate) fn register(&self, name: &CStr, forms: Vec<ScalarFunction>) -> Result<(), String> {
        let api = api();
        // SAFETY: each handle is used before it is released, and the forms are never released.
        let is_registered = unsafe {
            let mut set = (api.create_function_set)(name.as_ptr());
            let mut is_complete = true;
            for form in forms {
                let form: &'static ScalarFunction = Box::leak(Box::new(form));
                let mut function = (api.create_function)();
                (api.set_function_name)(function, name.as_ptr());
                for parameter in &form.parameters {
                    (api.add_parameter)(function, LogicalType::new(*parameter).0);
                }
                (api.set_return_type)(function, LogicalType::new(form.result).0);
                if form.may_fail {
                    (api.set_volatile)(function);
                }
                if form.takes_nulls {
                    (api.set_special_handling)(function);
                }
                (api.set_extra_info)(function, (&raw const *form).cast_mut().cast(), None);
                (api.set_callback)(function, call_scalar);
                is_complete &= (api.add_to_function_set)(set, function) == 0;
                (api.destroy_function)(&mut function);
            }
            let state = (api.register_function_set)(self.0, set);
            (api.destroy_function_set)(&mut set);
            is_complete && state == 0
        };
        check_registered(is_registered, name)
    }

    /// Registers the table function.
    ///
    /// # Errors
    ///
    /// Those of [`register`](Self::register).
    pub(crate) fn register_table(&self, function: TableFunction) -> Result<(), String> {
        let api = api();
        let function = TABLE_FUNCTION.get_or_init(|| function);
        // SAFETY: each handle is used before it is released.
        let is_registered = unsafe {
            let mut handle = (api.create_table_function)();
            (api.set_table_function_name)(handle, function.name.as_ptr());
            (api.set_bind)(handle, bind_table);
            (api.set_init)(handle, init_table);
            (api.set_table_callback)(handle, call_table);
            let state = (api.register_table_function)(self.0, handle);
            (api.destroy_table_function)(&mut handle);
            state == 0
        };
        check_registered(is_registered, function.name)
    }
}

fn check_registered(is_registered: bool, name: &CStr) -> Result<(), String> {
    let name = name.to_string_lossy();
    if is_registered {
        Ok(())
    } else {
        Err(format!(
            "the function {name} cannot be registered: it may exist"
        ))
    }
}

/// Loads the extension: reads the interface, and calls `register` with a connection. Returns true on success.
///
/// # Safety
///
/// The arguments are those that DuckDB passes to the entry point of an extension.
pub(crate) unsafe fn load(
    info: Handle,
    access: *const ExtensionAccess,
    register: fn(&Connection) -> Result<(), String>,
) -> bool {
    // SAFETY: the pointers exist during the call.
    unsafe {
        let access = &*access;
        let table = (access.get_api)(info, API_VERSION.as_ptr());
        if table.is_null() {
            // DuckDB has set the error: this version is not supported.
            return false;
        }
        let api = API.get_or_init(|| Api::read(table));
        if *table.add(CONNECT_PLACE) != api.connect as *const c_void {
            let text = c"robots_scan is loaded by another copy of DuckDB in this process";
            (access.set_error)(info, text.as_ptr());
            return false;
        }
        let database = (access.get_database)(info);
        let mut connection = null_mut();
        if database.is_null() || (api.connect)(*database, &mut connection) != 0 {
            (access.set_error)(info, c"robots_scan cannot connect to the database".as_ptr());
            return false;
        }
        // Nothing is printed at a panic, because it becomes an error of SQL with its text. The hook concerns only the
        // panics of this library.
        std::panic::set_hook(Box::new(|_| {}));
        let result = register(&Connection(connection));
        (api.disconnect)(&mut connection);
        if let Err(error) = &result {
            (access.set_error)(info, c_text(error).as_ptr());
        }
        result.is_ok()
    }
}
