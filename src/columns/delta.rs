//! The encoding of integers by their differences (Parquet, "Encodings", DELTA_BINARY_PACKED = 5), and
//! the encoding of texts that is based on it (DELTA_BYTE_ARRAY = 7).
//!
//! A block has 128 differences and starts with the smallest of them, which is subtracted from all. It is
//! divided into miniblocks of 32 differences, each packed with its own number of bits.

/// The number of differences in a block.
const BLOCK_LEN: usize = 128;

/// The number of differences in a miniblock.
const MINIBLOCK_LEN: usize = 32;

/// Encodes integers by their differences and appends them to `out`. If `is_32_bit` is true, each integer must
/// fit into 32 bits.
pub(super) fn pack(values: &[i64], is_32_bit: bool, out: &mut Vec<u8>) {
    put_varint(BLOCK_LEN as u64, out);
    put_varint((BLOCK_LEN / MINIBLOCK_LEN) as u64, out);
    put_varint(values.len() as u64, out);
    let Some((&first, rest)) = values.split_first() else {
        return put_zigzag(0, out);
    };
    put_zigzag(first, out);
    let mut last = first;
    let mut differences = [0; BLOCK_LEN];
    for block in rest.chunks(BLOCK_LEN) {
        for (difference, &value) in differences.iter_mut().zip(block) {
            *difference = value.wrapping_sub(last);
            if is_32_bit {
                // Readers add the differences as 32-bit integers, with wrapping overflow.
                *difference = i64::from(*difference as i32);
            }
            last = value;
        }
        put_block(&differences[..block.len()], out);
    }
}

/// Encodes each text as the length of the prefix that it shares with the previous text, and the rest of
/// it. `bytes` has the concatenated texts, and `lengths` the length of each.
pub(super) fn pack_shared_prefixes(lengths: &[i64], bytes: &[u8], out: &mut Vec<u8>) {
    let (mut prefix_lengths, mut suffix_lengths) = (Vec::new(), Vec::new());
    let mut suffixes = Vec::new();
    let (mut last, mut rest): (&[u8], _) = (&[], bytes);
    for &length in lengths {
        let (text, after) = rest.split_at(length as usize);
        let shared = last.iter().zip(text).take_while(|(a, b)| a == b).count();
        prefix_lengths.push(shared as i64);
        suffix_lengths.push((text.len() - shared) as i64);
        suffixes.extend_from_slice(&text[shared..]);
        (last, rest) = (text, after);
    }
    pack(&prefix_lengths, true, out);
    pack(&suffix_lengths, true, out);
    out.extend_from_slice(&suffixes);
}

fn put_block(differences: &[i64], out: &mut Vec<u8>) {
    let min = differences.iter().copied().min().unwrap_or_default();
    put_zigzag(min, out);
    let widths_start = out.len();
    out.resize(widths_start + BLOCK_LEN / MINIBLOCK_LEN, 0);
    for (i, miniblock) in differences.chunks(MINIBLOCK_LEN).enumerate() {
        let mut packed = [0; MINIBLOCK_LEN];
        for (packed, difference) in packed.iter_mut().zip(miniblock) {
            *packed = difference.wrapping_sub(min).cast_unsigned();
        }
        let width = bit_width(packed.iter().fold(0, |bits, packed| bits | packed));
        out[widths_start + i] = width;
        put_bits(&packed, width, out);
    }
}

/// Returns the number of bits in which numbers up to `max` are packed: 0, 1, 2, 4 or a multiple of 8,
/// because such packed numbers compress better than those of other widths.
fn bit_width(max: u64) -> u8 {
    match u64::BITS - max.leading_zeros() {
        0 => 0,
        1 => 1,
        2 => 2,
        3 | 4 => 4,
        bits => bits.next_multiple_of(8) as u8,
    }
}

/// Appends the lowest `width` bits of each number, which must be a result of [`bit_width`].
fn put_bits(numbers: &[u64; MINIBLOCK_LEN], width: u8, out: &mut Vec<u8>) {
    match width {
        0 => {}
        1 | 2 | 4 => {
            let per_byte = usize::from(8 / width);
            out.extend(numbers.chunks_exact(per_byte).map(|numbers| {
                let bits = numbers.iter().rev();
                bits.fold(0, |byte: u8, &number| byte << width | number as u8)
            }));
        }
        8 => put_bytes::<1>(numbers, out),
        16 => put_bytes::<2>(numbers, out),
        24 => put_bytes::<3>(numbers, out),
        32 => put_bytes::<4>(numbers, out),
        40 => put_bytes::<5>(numbers, out),
        48 => put_bytes::<6>(numbers, out),
        56 => put_bytes::<7>(numbers, out),
        _ => put_bytes::<8>(numbers, out),
    }
}

/// Appends the lowest `N` bytes of each number.
fn put_bytes<const N: usize>(numbers: &[u64; MINIBLOCK_LEN], out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + N * MINIBLOCK_LEN, 0);
    for (bytes, number) in out[start..].as_chunks_mut::<N>().0.iter_mut().zip(numbers) {
        bytes.copy_from_slice(&number.to_le_bytes()[..N]);
    }
}

fn put_zigzag(number: i64, out: &mut Vec<u8>) {
    put_varint((number << 1 ^ number >> 63).cast_unsigned(), out);
}

fn put_varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}
