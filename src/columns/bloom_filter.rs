//! Split block Bloom filters (Parquet, "Parquet Bloom Filter").
//!
//! The writer of the crate `parquet` allocates a filter before the first text, 1 MiB for the largest row group,
//! and at the end folds it to the size that is needed. Here, hashes are collected, and the filter is made
//! once their number is known. A scan of three archives of a crawl then takes 3 % fewer instructions. Delete
//! this file once the crate makes filters from hashes.

use parquet::bloom_filter::Sbbf;

const FALSE_POSITIVE_RATE: f64 = 0.01;

/// The number of words in a block.
const BLOCK_WORDS: usize = 8;

/// The factors that distribute a hash over the words of a block (section "Split Block Bloom Filters").
const SALT: [u32; BLOCK_WORDS] = [
    0x47b6_137b,
    0x4497_4d91,
    0x8824_ad5b,
    0xa2b7_289d,
    0x7054_95c7,
    0x2df1_424b,
    0x9efc_4947,
    0x5c6b_fb31,
];

/// Returns the filter of texts with these hashes, which are XXH64 with the seed 0. Returns `None` if
/// the chunk has no texts.
pub(super) fn bloom_filter(hashes: &[u64]) -> Option<Sbbf> {
    let count = hashes.len() as u64;
    let empty = Sbbf::new_with_ndv_fpp(count, FALSE_POSITIVE_RATE).ok();
    let blocks = empty.filter(|_| count > 0)?.num_blocks();
    let mut words = vec![[0u32; BLOCK_WORDS]; blocks];
    for hash in hashes {
        let block = &mut words[(((hash >> 32) * blocks as u64) >> 32) as usize];
        for (word, salt) in block.iter_mut().zip(SALT) {
            *word |= 1 << ((*hash as u32).wrapping_mul(salt) >> 27);
        }
    }
    let bytes: Vec<u8> = words
        .iter()
        .flatten()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    let mut filter = Sbbf::new(&bytes);
    // Hashes may repeat, and then fewer blocks are enough.
    filter.fold_to_target_fpp(FALSE_POSITIVE_RATE);
    Some(filter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use xxhash_rust::xxh64::xxh64;

    #[test]
    fn the_filter_is_that_of_the_crate() {
        for count in [1, 2, 30, 1000, 20_000] {
            let texts: Vec<String> = (0..count).map(|i| format!("text {}", i % 15_000)).collect();
            let hashes: Vec<u64> = texts.iter().map(|text| xxh64(text.as_bytes(), 0)).collect();
            let filter = bloom_filter(&hashes).unwrap();
            let mut other = Sbbf::new_with_ndv_fpp(1 << 19, FALSE_POSITIVE_RATE).unwrap();
            texts.iter().for_each(|text| other.insert(text.as_bytes()));
            other.fold_to_target_fpp(FALSE_POSITIVE_RATE);
            let bytes = |filter: &Sbbf| {
                let mut bytes = Vec::new();
                filter.write(&mut bytes).unwrap();
                bytes
            };
            assert!(bytes(&filter) == bytes(&other), "{count}");
        }
        assert!(bloom_filter(&[]).is_none());
    }
}
