//! PID 1 reaps what is left behind.

use crate::harness::Container;

#[test]
fn test_orphan_zombies_reaped() {
    let container = Container::sleeping(&[]);
    container.sh("( ( sleep 0.1 & ) & ); sleep 1").ok();
    container.wait_for("the end of all zombies", |container| {
        !container.exec(&["ps", "axo", "stat,pid,comm"]).ok().lines().any(|line| line.starts_with('Z'))
    });
}
