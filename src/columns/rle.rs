//! The hybrid of run-length encoding and bit packing (Parquet, "Encodings", RLE = 3).

/// The length of the shortest run that is not bit-packed.
const MIN_RUN_LEN: usize = 8;

/// Returns the number of bits in which numbers below `count` are packed: 0, 1, 2, 4 or
/// a multiple of 8, because such packed numbers compress far better than those of
/// other widths.
pub(super) fn bit_width(count: usize) -> u8 {
    match count {
        0 | 1 => 0,
        2 => 1,
        3..=4 => 2,
        5..=16 => 4,
        17..=0x100 => 8,
        0x101..=0x1_0000 => 16,
        0x1_0001..=0x100_0000 => 24,
        _ => 32,
    }
}

/// Appends numbers in `width` bits each, which must be a result of [`bit_width`].
pub(super) fn pack(numbers: &[u32], width: u8, out: &mut Vec<u8>) {
    let (mut packed, mut i) = (0, 0);
    while i + MIN_RUN_LEN <= numbers.len() {
        let first = numbers[i];
        // If some numbers of the window differ from its final number, no run starts at or before the
        // last one that differs.
        let window = &numbers[i..i + MIN_RUN_LEN];
        let last = window[MIN_RUN_LEN - 1];
        if let Some(differs) = window.iter().rposition(|&number| number != last) {
            i += differs + 1;
            continue;
        }
        let rest = &numbers[i + MIN_RUN_LEN..];
        let run = rest.iter().position(|&number| number != first);
        let run = MIN_RUN_LEN + run.unwrap_or(rest.len());
        // Numbers are packed in groups of eight: the first numbers of the run fill the last group before it.
        let fill_len = (i - packed).next_multiple_of(8) - (i - packed);
        if run >= fill_len + MIN_RUN_LEN {
            put_packed(&numbers[packed..i + fill_len], width, out);
            put_run(first, run - fill_len, width, out);
            packed = i + run;
        }
        i += run;
    }
    put_packed(&numbers[packed..], width, out);
}

/// Appends the same number `count` times. The bytes are those that [`pack`] would append.
pub(super) fn pack_run(number: u32, count: usize, width: u8, out: &mut Vec<u8>) {
    if count < MIN_RUN_LEN {
        return pack(&[number; MIN_RUN_LEN][..count], width, out);
    }
    put_run(number, count, width, out);
}

fn put_run(number: u32, count: usize, width: u8, out: &mut Vec<u8>) {
    put_varint(count << 1, out);
    out.extend_from_slice(&number.to_le_bytes()[..usize::from(width).div_ceil(8)]);
}

fn put_packed(numbers: &[u32], width: u8, out: &mut Vec<u8>) {
    if numbers.is_empty() {
        return;
    }
    let groups_of_eight = numbers.len().div_ceil(8);
    put_varint(groups_of_eight << 1 | 1, out);
    let end = out.len() + groups_of_eight * usize::from(width);
    match width {
        0 => {}
        8 => out.extend(numbers.iter().map(|&number| number as u8)),
        16 => numbers
            .iter()
            .for_each(|&number| out.extend_from_slice(&(number as u16).to_le_bytes())),
        24 => numbers
            .iter()
            .for_each(|&number| out.extend_from_slice(&number.to_le_bytes()[..3])),
        32 => numbers
            .iter()
            .for_each(|&number| out.extend_from_slice(&number.to_le_bytes())),
        1 | 2 | 4 => {
            let per_byte = usize::from(8 / width);
            out.extend(numbers.chunks(per_byte).map(|chunk| {
                let bits = chunk.iter().rev();
                bits.fold(0, |byte: u8, &number| byte << width | number as u8)
            }));
        }
        _ => unreachable!("`width` returns no other"),
    }
    out.resize(end, 0);
}

/// Appends booleans as bits, the first in the lowest bit (PLAIN = 0).
pub(super) fn put_bools(bools: &[bool], out: &mut Vec<u8>) {
    // Multiplication moves the lowest bit of each of eight bytes into the highest byte.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut groups_of_eight = bools.chunks_exact(8);
    out.extend(groups_of_eight.by_ref().map(|group| {
        let bytes = std::array::from_fn(|i| u8::from(group[i]));
        (u64::from_le_bytes(bytes).wrapping_mul(GATHER) >> 56) as u8
    }));
    let rest = groups_of_eight.remainder();
    if !rest.is_empty() {
        let bits = rest.iter().rev();
        out.push(bits.fold(0, |byte, &bit| byte << 1 | u8::from(bit)));
    }
}

fn put_varint(mut number: usize, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes according to the specification, bit by bit.
    fn unpack(mut bytes: &[u8], width: u8, count: usize) -> Vec<u32> {
        let mut numbers = Vec::new();
        while numbers.len() < count {
            let (mut header, mut shift) = (0usize, 0);
            loop {
                let byte = bytes[0];
                bytes = &bytes[1..];
                header |= usize::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    break;
                }
            }
            if header & 1 == 0 {
                let len = usize::from(width).div_ceil(8);
                let mut value = [0; 4];
                value[..len].copy_from_slice(&bytes[..len]);
                bytes = &bytes[len..];
                numbers.extend(std::iter::repeat_n(u32::from_le_bytes(value), header >> 1));
            } else {
                let len = (header >> 1) * usize::from(width);
                for i in 0..(header >> 1) * 8 {
                    let bit = |nth: usize| {
                        let place = i * usize::from(width) + nth;
                        u32::from(bytes[place / 8] >> (place % 8) & 1) << nth
                    };
                    numbers.push((0..usize::from(width)).map(bit).sum());
                }
                bytes = &bytes[len..];
            }
        }
        assert!(bytes.is_empty());
        numbers.truncate(count);
        numbers
    }

    #[test]
    fn packed_numbers_are_unpacked_to_the_same() {
        let mut seed = 0x2545_f491_4f6c_dd1du64;
        let mut random = |below: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed % below
        };
        for count in [
            1,
            2,
            3,
            16,
            17,
            256,
            257,
            65_536,
            65_537,
            1 << 24,
            (1 << 24) + 1,
        ] {
            for _ in 0..50 {
                let mut numbers = Vec::new();
                for _ in 0..random(12) {
                    let number = random(count as u64) as u32;
                    numbers.extend(std::iter::repeat_n(number, 1 + random(30) as usize));
                    numbers.extend((0..random(30)).map(|_| random(count as u64) as u32));
                }
                let (mut out, width) = (Vec::new(), bit_width(count));
                pack(&numbers, width, &mut out);
                assert_eq!(unpack(&out, width, numbers.len()), numbers);
            }
        }
    }

    #[test]
    fn booleans_are_bits_from_the_lowest() {
        for count in 0..40usize {
            let bools: Vec<bool> = (0..count).map(|i| i * i % 7 < 3).collect();
            let mut out = Vec::new();
            put_bools(&bools, &mut out);
            assert_eq!(out.len(), count.div_ceil(8));
            for (i, &flag) in bools.iter().enumerate() {
                assert_eq!(out[i / 8] >> (i % 8) & 1 == 1, flag);
            }
        }
    }

    #[test]
    fn a_run_has_a_few_bytes() {
        let mut out = Vec::new();
        pack(&[5; 15_360], 8, &mut out);
        assert_eq!(out, [0x80, 0xf0, 0x01, 5]);
        for count in [0, 1, 7, 8, 9, 1000] {
            let (mut packed, mut run) = (Vec::new(), Vec::new());
            pack(&vec![1; count], 1, &mut packed);
            pack_run(1, count, 1, &mut run);
            assert_eq!(run, packed);
        }
    }
}
