//! The encoding of integers by their differences (Parquet, "Encodings", DELTA_BINARY_PACKED = 5).
//!
//! Differences are packed in blocks of 128, each with its smallest difference, and these in
//! miniblocks of 32, each with its own width in bits.

/// Differences of a block.
const BLOCK: usize = 128;

/// Differences of a miniblock.
const MINIBLOCK: usize = 32;

/// Integers of a column chunk that are encoded by their differences.
#[derive(Debug, Default)]
pub(super) struct DeltaColumn {
    /// The smallest and the largest value.
    pub(super) bounds: Option<(i64, i64)>,
}

impl DeltaColumn {
    /// Adds the values of a page to the bounds.
    pub(super) fn add(&mut self, values: &[i64]) {
        for &value in values {
            let (min, max) = self.bounds.get_or_insert((value, value));
            *min = value.min(*min);
            *max = value.max(*max);
        }
    }
}

/// Appends integers. Those of a column of 32 bits must fit into 32 bits.
pub(super) fn pack(values: &[i64], is_32_bit: bool, out: &mut Vec<u8>) {
    put_varint(BLOCK as u64, out);
    put_varint((BLOCK / MINIBLOCK) as u64, out);
    put_varint(values.len() as u64, out);
    let Some((&first, rest)) = values.split_first() else {
        return put_zigzag(0, out);
    };
    put_zigzag(first, out);
    let mut last = first;
    let mut differences = [0; BLOCK];
    for block in rest.chunks(BLOCK) {
        for (difference, &value) in differences.iter_mut().zip(block) {
            *difference = value.wrapping_sub(last);
            if is_32_bit {
                // Readers add in 32 bits, with overflow.
                *difference = i64::from(*difference as i32);
            }
            last = value;
        }
        put_block(&differences[..block.len()], out);
    }
}

fn put_block(differences: &[i64], out: &mut Vec<u8>) {
    let min = differences.iter().copied().min().unwrap_or_default();
    put_zigzag(min, out);
    let widths = out.len();
    out.resize(widths + BLOCK / MINIBLOCK, 0);
    for (i, miniblock) in differences.chunks(MINIBLOCK).enumerate() {
        let mut packed = [0; MINIBLOCK];
        for (packed, difference) in packed.iter_mut().zip(miniblock) {
            *packed = difference.wrapping_sub(min).cast_unsigned();
        }
        let width = width(packed.iter().fold(0, |bits, packed| bits | packed));
        out[widths + i] = width;
        put_bits(&packed, width, out);
    }
}

/// Returns the number of bits for numbers up to `max`: a divisor of a byte or a number of whole
/// bytes, as these compress better.
fn width(max: u64) -> u8 {
    match u64::BITS - max.leading_zeros() {
        0 => 0,
        1 => 1,
        2 => 2,
        3 | 4 => 4,
        bits => bits.next_multiple_of(8) as u8,
    }
}

/// Appends the lowest `width` bits of each number, which must be a result of [`width`].
fn put_bits(numbers: &[u64; MINIBLOCK], width: u8, out: &mut Vec<u8>) {
    match width {
        0 => {}
        1 | 2 | 4 => {
            let per_byte = usize::from(8 / width);
            out.extend(numbers.chunks_exact(per_byte).map(|numbers| {
                let bits = numbers.iter().rev();
                bits.fold(0, |byte: u8, &number| byte << width | number as u8)
            }));
        }
        _ => {
            let bytes = usize::from(width / 8);
            for number in numbers {
                out.extend_from_slice(&number.to_le_bytes()[..bytes]);
            }
        }
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
