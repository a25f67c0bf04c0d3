//! Times of the tree's steps.
fn main() {
    divan::main();
}
