//! The options of a scan, their defaults, and the header of the manifest that is made from them.

use crawlers::CrawlerRegistry;
use dataset::division::{PartSize, Sample, Shard};
use dataset::{DatasetOptions, IfExists, InputEntry, ManifestHeader, OutputLayout, Partition};
use remote::Remote;
use serde_json::{Value, json};
use sources::input::Input;
use std::sync::Arc;

/// The version of the Public Suffix List that the host columns are derived from: that of the crate
/// `psl`.
pub const PSL_VERSION: &str = "psl 2.1.247";

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The archives that are read, in the order of their indexes.
    pub inputs: Vec<Input>,
    /// The path and the tables of the output.
    pub layout: OutputLayout,
    /// The action if the output exists.
    pub if_exists: IfExists,
    /// The number of threads that read and encode.
    pub threads: usize,
    /// The number of bytes of a body within which a line must end to count; `None` for no limit.
    pub body_limit: Option<u64>,
    /// The maximum number of bytes read of a decoded body.
    pub max_body_bytes: usize,
    /// True if the table `robots_files` stores bodies.
    pub with_bodies: bool,
    /// True if the table `robots_files` stores `WARC-Record-ID`.
    pub with_record_ids: bool,
    /// True if digests of captures are verified even if a checksum protects the bytes.
    pub verify_digests: bool,
    /// The registry of crawlers, which is written as the table `agents`.
    pub registry: Arc<CrawlerRegistry>,
    /// The size, the number of inputs or the number of records after which a new part begins.
    pub part_size: PartSize,
    /// The sample whose inputs are read.
    pub sample: Option<Sample>,
    /// The shard whose inputs are read.
    pub shard: Option<Shard>,
    /// The number of archives from which the sample and the shard were taken.
    pub listed_inputs: u64,
    /// The digest of the names of all inputs, also of other shards.
    pub list_digest: String,
    /// True if a remote input that does not exist is a fault, and false if it is a failed input.
    pub skips_missing: bool,
    /// The client for remote inputs.
    pub remote: Option<Arc<Remote>>,
}

impl Options {
    /// Returns the options of a run over these inputs: one thread, and otherwise the defaults of the
    /// command `scan`.
    pub fn new(inputs: Vec<Input>, layout: OutputLayout) -> Self {
        Self::with_registry(inputs, layout, CrawlerRegistry::built_in())
    }

    /// Returns the options of [`new`](Self::new) with another registry of crawlers. This avoids making the built-in
    /// registry, which takes a tenth of the time of an empty run.
    pub fn with_registry(
        inputs: Vec<Input>,
        layout: OutputLayout,
        registry: CrawlerRegistry,
    ) -> Self {
        Self {
            inputs,
            layout,
            if_exists: IfExists::Refuse,
            threads: 1,
            body_limit: Some(robots::BODY_LIMIT_BYTES),
            max_body_bytes: 16 << 20,
            with_bodies: false,
            with_record_ids: false,
            verify_digests: false,
            registry: Arc::new(registry),
            part_size: PartSize::Bytes(1 << 30),
            sample: None,
            shard: None,
            listed_inputs: 0,
            list_digest: String::new(),
            skips_missing: false,
            remote: None,
        }
    }

    /// Returns the options that change rows, as stored in the table `runs` and the manifest.
    pub fn row_options(&self) -> Value {
        json!({
            "body_limit": self.body_limit,
            "max_body_bytes": self.max_body_bytes,
            "with_bodies": self.with_bodies,
            "with_record_ids": self.with_record_ids,
            "verify_digests": self.verify_digests,
        })
    }

    /// Returns the header of the manifest. A run can only be resumed with an equal header.
    pub(super) fn manifest_header(&self) -> ManifestHeader {
        let entry = |input: &Input| InputEntry {
            name: Some(input.name.clone()),
            bytes: input.bytes,
            index: Some(input.index),
        };
        ManifestHeader {
            options: DatasetOptions {
                rows: self.row_options(),
                tables: self.layout.tables().to_vec(),
                list: self.list_digest.clone(),
                part_size: self.part_size,
                sample: self.sample,
                shard: self.shard,
                agents: self.registry.sha1.clone(),
                psl: PSL_VERSION.to_owned(),
                crawls: list_partitions(&self.inputs),
            },
            inputs: self.inputs.iter().map(entry).collect(),
        }
    }

    /// Returns the limits of the WARC reader.
    pub(crate) fn warc_limits(&self) -> warc::Limits {
        let default = warc::Limits::default();
        // A block holds HTTP headers besides the body, which may be encoded.
        warc::Limits {
            max_block_bytes: default.max_block_bytes.max(self.max_body_bytes + (4 << 20)),
            ..default
        }
    }
}

/// Returns the crawls and subsets of inputs in order, without consecutive duplicates.
fn list_partitions(inputs: &[Input]) -> Vec<Partition> {
    let partition = |input: &Input| Partition {
        crawl: input.crawl.clone(),
        subset: input.subset.clone(),
    };
    let mut partitions: Vec<Partition> = inputs.iter().map(partition).collect();
    partitions.dedup();
    partitions
}
