//! The properties, the anomalies and the text of a capture of a dataset.

use super::capture_details::CaptureDetails;
use super::host::{CheckedCaptures, FoundDetails};
use super::host_text;
use super::numbered_text::NumberedText;
use super::report::ReportedAnomaly;
use crate::captures::{DatasetCaptures, FoundCapture, LineLimit};
use arrow_array::{Array, BooleanArray, Int32Array, Int64Array, StringArray};
use dataset::error::DatasetDefect;
use dataset::{CaptureFilter, column};
use disk::error::Error;
use hosts::CaptureId;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use tables::Table;

impl CheckedCaptures for DatasetCaptures<'_> {
    fn details(&self, found: &FoundCapture<Self>) -> Result<FoundDetails, Error> {
        let dataset = self.context.dataset;
        let (id, rules_id) = (found.capture.id, found.place.id);
        let read = |id| {
            let details = CaptureDetails::read(dataset, id)?;
            details.ok_or_else(|| {
                DatasetDefect::other("its captures changed while they were read")
                    .error(dataset.root())
            })
        };
        Ok(FoundDetails {
            capture: read(id)?,
            rules_capture: if rules_id == id {
                None
            } else {
                Some(read(rules_id)?)
            },
            redirects_without_place: 0,
        })
    }

    fn anomalies(
        &self,
        found: &FoundCapture<Self>,
        path: &Path,
    ) -> Result<Option<Vec<ReportedAnomaly>>, Error> {
        let (dataset, id) = (self.context.dataset, found.place.id);
        if !dataset.has_files(Table::ANOMALIES) {
            return Ok(None);
        }
        let mut limit = LineLimit::new(path);
        let columns = ["robots_id", "line_no", "code", "changes_verdict"];
        let mut anomalies = Vec::new();
        let filter = CaptureFilter::One {
            crawl: id.crawl,
            robots_id: id.robots_id,
        };
        dataset.read(Table::ANOMALIES, &columns, &filter, &mut |crawl, batch| {
            let ids = column::<Int64Array>(batch, "robots_id")?;
            let lines = column::<Int32Array>(batch, "line_no")?;
            let codes = column::<StringArray>(batch, "code")?;
            let changes = column::<BooleanArray>(batch, "changes_verdict")?;
            for row in 0..batch.num_rows() {
                let robots_id = ids.value(row);
                if (CaptureId { crawl, robots_id }) != id {
                    continue;
                }
                limit.count(1, 0)?;
                let line_no = lines.is_valid(row).then(|| lines.value(row));
                anomalies.push(ReportedAnomaly::new(
                    line_no.and_then(|line_no| u32::try_from(line_no).ok()),
                    codes.value(row),
                    changes.is_valid(row).then(|| changes.value(row)),
                ));
            }
            Ok(())
        })?;
        Ok(Some(anomalies))
    }

    fn text(
        &self,
        _: &FoundCapture<Self>,
        deciding: &CaptureDetails,
        stop: &Arc<AtomicBool>,
    ) -> Result<NumberedText, Error> {
        host_text::read_stored(self.context.dataset.root(), deciding, stop)
    }
}
