//! Random choices.

use inputs::Random;

/// Chooses an item by weights.
pub(super) fn choose<T: Copy>(random: &mut Random, weighted: &[(u64, T)]) -> T {
    let total = weighted.iter().map(|&(weight, _)| weight).sum();
    let mut rest = random.below(total);
    for &(weight, item) in weighted {
        if rest < weight {
            return item;
        }
        rest -= weight;
    }
    unreachable!("a number below the sum of the weights")
}

/// Chooses an item, each with the same probability.
pub(super) fn pick<T: Copy>(random: &mut Random, items: &[T]) -> T {
    items[random.below(items.len() as u64) as usize]
}
