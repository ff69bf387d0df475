//! The writer of parts: rows in, committed files out.
//!
//! The rows of a part are pushed in order. Row groups are encoded on the thread pool. If all rows
//! were pushed and encoded, the files are synced and renamed on the pool, and the part is then
//! added to the manifest. The files of a part are only visible as a whole.
//!
//! If you change the order of these steps, also check the commit protocol in `dataset/writer.rs`
//! and the tests in `tests/faults` that kill the program between any two system calls.

use super::open_part::OpenPart;
use super::options::{Options, PSL_VERSION};
use super::plan::{Part, plan_parts};
use super::stats::{ScanStats, WrittenParts};
use super::tasks::{EncodingResult, PartResult, TaskPool, TaskResult};
use columns::{FileTask, RowBatch, TableFileWriter, TableSchema, WrittenFile};
use dataset::{DatasetWriter, OutputLayout, PartEntry, PartTable};
use disk::ObjectIdentity;
use disk::{NewFile, SingleFile};
use errors::{Error, ErrorKind};
use sources::input::Input;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use tables::{RunRow, Table, TableBatches, runs_rows};

/// Writes parts. A part is identified by its index in [`parts`](Self::parts).
pub(super) struct PartWriter<'a> {
    options: &'a Options,
    tasks: Arc<TaskPool>,
    pub(super) target: OutputTarget,
    parts: Vec<Part>,
    open_parts: BTreeMap<usize, OpenPart>,
    /// The maximum number of parts that have open files.
    max_open_parts: usize,
    /// The number of running tasks that encode files.
    running_tasks: usize,
    /// Bytes of values in these tasks.
    encoding_bytes: u64,
    /// The number of parts whose files are being finished.
    finishing_parts: usize,
    /// Statistics of the parts that were written.
    stats: ScanStats,
    written: WrittenParts,
}

/// The destination of rows: a dataset or a file, which is locked for this run, or a reader.
pub(super) enum OutputTarget {
    Dataset(Box<DatasetWriter>),
    File(SingleFile),
    /// A reader of the rows of one table.
    Reader(SyncSender<RowBatch>),
}

/// The file of the table `runs`, to be written when its part is finished.
struct RunsFile {
    schema: TableSchema,
    rows: RowBatch,
    new_file: (NewFile, File),
}

impl OutputTarget {
    /// Creates a file under a temporary name. `path` is its final path below the folder of the
    /// dataset, and is ignored for a single file.
    pub(super) fn new_file(&self, path: &Path) -> Result<(NewFile, File), Error> {
        match self {
            Self::File(file) => file.new_file(),
            Self::Dataset(dataset) => dataset.temp_folder().new_file(path, false),
            Self::Reader(_) => unreachable!("a reader has no files"),
        }
    }

    /// Returns the entry of a part that an earlier run has written.
    pub(super) fn resumed_part(&self, number: u32) -> Option<&PartEntry> {
        match self {
            Self::File(_) | Self::Reader(_) => None,
            Self::Dataset(dataset) => dataset.parts().iter().find(|part| part.number == number),
        }
    }
}

impl<'a> PartWriter<'a> {
    /// Creates a writer. At most `max_open_parts` parts have open files at a time.
    pub(super) fn new(
        options: &'a Options,
        tasks: Arc<TaskPool>,
        target: OutputTarget,
        max_open_parts: usize,
    ) -> Self {
        let parts = if options.layout.is_single_file() {
            // All inputs go to one file, whatever their crawls.
            vec![Part {
                number: 0,
                inputs: 0..options.inputs.len(),
            }]
        } else {
            plan_parts(&options.inputs, options.part_size)
        };
        Self {
            options,
            tasks,
            target,
            parts,
            open_parts: BTreeMap::new(),
            max_open_parts,
            running_tasks: 0,
            encoding_bytes: 0,
            finishing_parts: 0,
            stats: ScanStats::default(),
            written: WrittenParts::default(),
        }
    }

    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns true if rows of a part can be pushed without too many open files.
    pub(super) fn has_room_for(&self, part: usize) -> bool {
        self.open_parts.contains_key(&part)
            || self.open_parts.len() + self.finishing_parts < self.max_open_parts
    }

    /// Returns true if tasks that encode files are running.
    pub(super) fn is_encoding(&self) -> bool {
        self.running_tasks > 0
    }

    /// Returns true if files of parts are being finished.
    pub(super) fn is_finishing(&self) -> bool {
        self.finishing_parts > 0
    }

    /// Returns the bytes of values that are being encoded or wait until their row group is complete.
    /// Waiting values of failed parts are not counted, because they are never written.
    pub(super) fn backlog_bytes(&self) -> u64 {
        let parts = self.open_parts.values().filter(|part| !part.is_failed);
        let files = parts.flat_map(|part| &part.files);
        let queued: u64 = files.map(|(_, file)| file.queued_bytes()).sum();
        self.encoding_bytes + queued
    }

    /// Creates the files of a part, unless they are open.
    pub(super) fn open_part(&mut self, index: usize) -> Result<(), Error> {
        if self.open_parts.contains_key(&index) {
            return Ok(());
        }
        let part = &self.parts[index];
        let first = &self.options.inputs[part.inputs.start];
        let layout = &self.options.layout;
        let mut files = Vec::new();
        let has_file = |table: &Table| {
            layout.tables().contains(table) && !matches!(self.target, OutputTarget::Reader(_))
        };
        for table in Table::FROM_RECORDS.into_iter().filter(has_file) {
            let path = layout.single_part_path(table, part.number, &first.crawl, &first.subset);
            let new = self.target.new_file(&path)?;
            let schema = layout.file_schema(table);
            files.push((table, TableFileWriter::create(schema, new)?));
        }
        let part = OpenPart {
            number: part.number,
            crawl: first.crawl.clone(),
            subset: first.subset.clone(),
            inputs: part.inputs.clone(),
            object_identities: BTreeMap::new(),
            files,
            stats: ScanStats::default(),
            running_tasks: 0,
            has_all_rows: false,
            is_failed: false,
        };
        self.open_parts.insert(index, part);
        Ok(())
    }

    /// Adds rows of `input` to an open part. Rows of failed parts are dropped.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Abandoned`] if the reader of the rows was dropped.
    pub(super) fn push(
        &mut self,
        index: usize,
        input: &Input,
        batches: TableBatches,
        stats: ScanStats,
    ) -> Result<(), Error> {
        let layout = &self.options.layout;
        let part = self.open_parts.get_mut(&index).expect("the part is open");
        if part.is_failed {
            return Ok(());
        }
        part.stats.add(stats);
        if let OutputTarget::Reader(reader) = &self.target {
            return send_rows(reader, layout, input, batches);
        }
        let mut tasks = Vec::new();
        for (table, rows) in Table::FROM_RECORDS.into_iter().zip(batches) {
            let Some(i) = part
                .files
                .iter()
                .position(|(file_table, _)| *file_table == table)
            else {
                continue;
            };
            let rows = layout.add_partition_columns(rows, &input.crawl, &input.subset);
            push_tasks(i, &mut tasks, |new| part.files[i].1.push(rows, new));
        }
        self.spawn_tasks(index, tasks);
        Ok(())
    }

    /// Adds bytes of inputs to the statistics of a part, if it is open.
    pub(super) fn add_input_bytes(&mut self, index: usize, bytes: u64) {
        if let Some(part) = self.open_parts.get_mut(&index) {
            part.stats.bytes += bytes;
        }
    }

    /// Adds the identity of an object that was read to its end to a part, if it is open.
    pub(super) fn add_object_identity(
        &mut self,
        index: usize,
        input: usize,
        identity: ObjectIdentity,
    ) {
        if let Some(part) = self.open_parts.get_mut(&index) {
            part.object_identities.insert(input, identity);
        }
    }

    /// Marks an open part as failed. Its files will be discarded.
    pub(super) fn mark_failed(&mut self, index: usize) {
        let part = self.open_parts.get_mut(&index).expect("the part is open");
        part.is_failed = true;
    }

    /// Ends an open part, to which no more rows will be pushed.
    pub(super) fn end_part(&mut self, index: usize) -> Result<(), Error> {
        let part = self.open_parts.get_mut(&index).expect("the part is open");
        part.has_all_rows = true;
        let mut tasks = Vec::new();
        if !part.is_failed {
            for (i, (_, file)) in part.files.iter_mut().enumerate() {
                push_tasks(i, &mut tasks, |new| file.end_rows(new));
            }
        }
        self.spawn_tasks(index, tasks);
        self.finish_if_encoded(index)
    }

    fn spawn_tasks(&mut self, index: usize, tasks: Vec<(usize, FileTask)>) {
        for (file, task) in tasks {
            self.spawn_task(index, file, task);
        }
    }

    /// Runs a task of a file on the pool.
    fn spawn_task(&mut self, index: usize, file: usize, task: FileTask) {
        if let Some(part) = self.open_parts.get_mut(&index) {
            part.running_tasks += 1;
        }
        let (row_group, bytes) = (task.group, task.bytes());
        self.running_tasks += 1;
        self.encoding_bytes += bytes;
        self.tasks.spawn(move || {
            TaskResult::Encoded(EncodingResult {
                part: index,
                file,
                row_group,
                bytes,
                result: task.run(),
            })
        });
    }

    /// Takes the result of a task of a file, and runs the next one.
    pub(super) fn take_encoding_result(&mut self, task: EncodingResult) -> Result<(), Error> {
        self.running_tasks -= 1;
        self.encoding_bytes -= task.bytes;
        let part = self
            .open_parts
            .get_mut(&task.part)
            .expect("a part is open while it is encoded");
        part.running_tasks -= 1;
        let file = &mut part.files[task.file].1;
        let output = task.result.map_err(|error| file.write_error(error))?;
        if !part.is_failed
            && let Some(next) = file.take(task.row_group, output)
        {
            self.spawn_task(task.part, task.file, next);
        }
        self.finish_if_encoded(task.part)
    }

    /// Finishes the files of a part on the pool, if all rows were pushed and encoded.
    fn finish_if_encoded(&mut self, index: usize) -> Result<(), Error> {
        let is_encoded = |part: &OpenPart| part.has_all_rows && part.running_tasks == 0;
        if !self.open_parts.get(&index).is_some_and(is_encoded) {
            return Ok(());
        }
        let mut part = self.open_parts.remove(&index).expect("the part is open");
        if part.is_failed {
            part.files.into_iter().for_each(|(_, file)| file.discard());
            return Ok(());
        }
        let runs = self.create_runs_file(&part)?;
        if let OutputTarget::Dataset(dataset) = &mut self.target {
            dataset.announce(&part_paths(&self.options.layout, &part))?;
        }
        // Syncing files takes long: the scheduler goes on meanwhile.
        self.finishing_parts += 1;
        self.tasks.spawn(move || {
            let files = finish_files(std::mem::take(&mut part.files), runs);
            TaskResult::PartFinished(Box::new(PartResult { part, files }))
        });
        Ok(())
    }

    /// Creates the file of the table `runs` of a part, if the table is written.
    fn create_runs_file(&self, part: &OpenPart) -> Result<Option<RunsFile>, Error> {
        let layout = &self.options.layout;
        if !layout.tables().contains(&Table::RUNS) {
            return Ok(None);
        }
        let rows = runs_rows(&RunRow {
            part: part.number,
            options: self.options.row_options().to_string(),
            psl_version: PSL_VERSION.to_owned(),
            agents_version: self.options.registry.sha1.clone(),
            listed_inputs: self.options.listed_inputs,
            sample_seed: self.options.sample.map(|sample| sample.seed),
            inputs: part.inputs.len() as u32,
            input_bytes: part.stats.bytes,
            records: part.stats.records,
            captures: part.stats.captures,
            faults: part.stats.fault_count,
        });
        let path = layout.single_part_path(Table::RUNS, part.number, &part.crawl, &part.subset);
        Ok(Some(RunsFile {
            schema: layout.file_schema(Table::RUNS),
            rows: layout.add_partition_columns(rows, &part.crawl, &part.subset),
            new_file: self.target.new_file(&path)?,
        }))
    }

    /// Commits a part whose files were finished: adds it to the manifest.
    pub(super) fn commit(&mut self, finished: PartResult) -> Result<(), Error> {
        self.finishing_parts -= 1;
        let PartResult { part, files } = finished;
        let files = files?;
        for (table, file) in &files {
            let rows = self.written.rows.entry(table.name().to_owned());
            *rows.or_default() += file.rows;
            self.written.bytes += file.bytes;
        }
        if let OutputTarget::Dataset(dataset) = &mut self.target {
            let mut objects = part.object_identities;
            let has_objects = !objects.is_empty();
            let inputs = part.inputs.clone().filter(|_| has_objects);
            let entry = PartEntry {
                number: part.number,
                crawl: part.crawl,
                subset: part.subset,
                objects: inputs.map(|input| objects.remove(&input)).collect(),
                inputs: part.inputs,
                records: part.stats.records,
                captures: part.stats.captures,
                faults: part.stats.fault_count,
                tables: files
                    .iter()
                    .map(|(table, file)| PartTable::new(*table, file))
                    .collect(),
            };
            dataset.add_part(entry, &files)?;
        }
        self.written.parts += 1;
        self.stats.add(part.stats);
        Ok(())
    }

    /// Discards the files of all parts that are not finished.
    pub(super) fn discard_open_parts(&mut self) {
        for part in std::mem::take(&mut self.open_parts).into_values() {
            part.files.into_iter().for_each(|(_, file)| file.discard());
        }
    }

    /// Takes the statistics and totals of the parts that were written.
    pub(super) fn take_totals(&mut self) -> (ScanStats, WrittenParts) {
        (
            std::mem::take(&mut self.stats),
            std::mem::take(&mut self.written),
        )
    }
}

/// Sends the rows of the table that is read. Waits while the reader is behind.
fn send_rows(
    reader: &SyncSender<RowBatch>,
    layout: &OutputLayout,
    input: &Input,
    batches: TableBatches,
) -> Result<(), Error> {
    let table_rows = Table::FROM_RECORDS.into_iter().zip(batches);
    let table_rows =
        table_rows.filter(|(table, rows)| layout.tables().contains(table) && !rows.is_empty());
    for (_, rows) in table_rows {
        let rows = layout.add_partition_columns(rows, &input.crawl, &input.subset);
        let sent = reader.send(rows);
        sent.map_err(|_| Error::new(ErrorKind::Abandoned, layout.root()))?;
    }
    Ok(())
}

/// Appends the tasks that `add` makes, each with `file`, the index of its file.
fn push_tasks(
    file: usize,
    tasks: &mut Vec<(usize, FileTask)>,
    add: impl FnOnce(&mut Vec<FileTask>),
) {
    let mut new = Vec::new();
    add(&mut new);
    tasks.extend(new.into_iter().map(|task| (file, task)));
}

/// Returns the paths of all files of a part.
fn part_paths(layout: &OutputLayout, part: &OpenPart) -> Vec<String> {
    let tables = layout.tables().iter().filter(|table| table.is_per_part());
    let path = |&table: &Table| {
        let path = layout.single_part_path(table, part.number, &part.crawl, &part.subset);
        path.to_string_lossy().into_owned()
    };
    tables.map(path).collect()
}

/// Syncs and renames the files of a part, and writes the table `runs`.
fn finish_files(
    files: Vec<(Table, TableFileWriter)>,
    runs: Option<RunsFile>,
) -> Result<Vec<(Table, WrittenFile)>, Error> {
    let mut finished = Vec::with_capacity(files.len() + 1);
    for (table, file) in files {
        debug_assert!(file.is_settled());
        finished.push((table, file.finish()?));
    }
    if let Some(runs) = runs {
        let file = columns::write_table(runs.schema, runs.rows, runs.new_file)?;
        finished.push((Table::RUNS, file));
    }
    Ok(finished)
}
