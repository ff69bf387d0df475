//! The shard that a run reads. Its index is given, or is the index of the cluster task that runs the program.

use crate::calls::exit::UsageError;
use dataset::division::{MAX_SHARDS, Shard};
use std::str::FromStr;

/// The value of `--shard`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShardChoice {
    Fixed(Shard),
    /// The shard whose index is that of the cluster task, out of this number of shards.
    FromTask(usize),
}

/// The environment variables that hold the index of a task, each with the index of the first task.
const TASK_VARIABLES: [(&str, usize); 3] = [
    ("SLURM_ARRAY_TASK_ID", 1),
    ("AWS_BATCH_JOB_ARRAY_INDEX", 0),
    ("JOB_COMPLETION_INDEX", 0),
];

impl FromStr for ShardChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let refused = || "give the shard and their number, as 1/4 … 4/4, or auto/4".to_owned();
        match text.strip_prefix("auto/") {
            None => text.parse().map(Self::Fixed).map_err(|_| refused()),
            Some(count) => {
                let count = count.parse().ok();
                let count = count.filter(|count| (1..=MAX_SHARDS).contains(count));
                count.map(Self::FromTask).ok_or_else(refused)
            }
        }
    }
}

impl ShardChoice {
    /// Returns the shard. `variable` returns the value of an environment variable.
    pub(crate) fn resolve(
        self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Shard, UsageError> {
        let count = match self {
            Self::Fixed(shard) => return Ok(shard),
            Self::FromTask(count) => count,
        };
        let set_variables = TASK_VARIABLES.iter();
        let set_variables =
            set_variables.filter_map(|&(name, first)| Some((name, first, variable(name)?)));
        let set_variables: Vec<_> = set_variables.collect();
        let [(name, first, value)] = set_variables.as_slice() else {
            let names = TASK_VARIABLES.map(|(name, _)| name).join(", ");
            return Err(if set_variables.is_empty() {
                UsageError::with_hint(
                    format!("--shard auto/{count} needs the index of the task in {names}"),
                    format!("outside a cluster, name the shard: --shard 1/{count}"),
                )
            } else {
                UsageError::with_hint(
                    format!("--shard auto/{count}: more than one of {names} is set"),
                    format!("name the shard: --shard I/{count}"),
                )
            });
        };
        let index = value.trim().parse::<usize>().ok();
        let index = index.and_then(|index| index.checked_add(1)?.checked_sub(*first));
        let index = index.filter(|index| (1..=count).contains(index));
        let last = first + count - 1;
        index.map(|index| Shard { index, count }).ok_or_else(|| {
            UsageError::with_hint(
                format!("--shard auto/{count}: {name} is '{value}', and not {first} to {last}"),
                format!("number the tasks {first} to {last}, or change the number of shards"),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(text: &str, variables: &[(&str, &str)]) -> Result<String, String> {
        let variable = |name: &str| {
            let mut variables = variables.iter();
            let found = variables.find(|(variable, _)| *variable == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        let choice: ShardChoice = text.parse()?;
        let shard = choice
            .resolve(variable)
            .map_err(|error| error.to_string())?;
        Ok(shard.to_string())
    }

    #[test]
    fn the_index_of_a_task_begins_at_1_in_slurm_and_at_0_elsewhere() {
        for (name, value, expected) in [
            ("SLURM_ARRAY_TASK_ID", "1", "1/4"),
            ("SLURM_ARRAY_TASK_ID", "4", "4/4"),
            ("AWS_BATCH_JOB_ARRAY_INDEX", "0", "1/4"),
            ("JOB_COMPLETION_INDEX", "3", "4/4"),
        ] {
            assert_eq!(shard("auto/4", &[(name, value)]).as_deref(), Ok(expected));
        }
        for (name, value) in [
            ("SLURM_ARRAY_TASK_ID", "0"),
            ("SLURM_ARRAY_TASK_ID", "5"),
            ("AWS_BATCH_JOB_ARRAY_INDEX", "4"),
            ("JOB_COMPLETION_INDEX", "x"),
            ("JOB_COMPLETION_INDEX", "18446744073709551615"),
        ] {
            let error = shard("auto/4", &[(name, value)]).unwrap_err();
            assert!(error.contains(name), "{error}");
        }
    }

    #[test]
    fn the_index_must_be_known_and_unique() {
        assert!(
            shard("auto/4", &[])
                .unwrap_err()
                .contains("needs the index")
        );
        let both = [("SLURM_ARRAY_TASK_ID", "1"), ("JOB_COMPLETION_INDEX", "0")];
        assert!(
            shard("auto/4", &both)
                .unwrap_err()
                .contains("more than one")
        );
        assert_eq!(shard("2/3", &both).as_deref(), Ok("2/3"));
        for text in ["auto/0", "auto/", "auto", "auto/100000", "5/4"] {
            assert!(shard(text, &[]).unwrap_err().starts_with("give"), "{text}");
        }
    }
}
