use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::{Pool, Pooled};

const LIFETIME: Duration = Duration::from_secs(300);

#[derive(Debug, Default)]
struct Counts {
    made: AtomicUsize,
    closed: AtomicUsize,
    is_busy: AtomicBool,
    is_dead: AtomicBool,
    closing_hangs: AtomicBool,
    closed_one: Notify,
}

#[derive(Debug)]
struct Fake(Arc<Counts>);

impl Pooled for Fake {
    async fn is_busy(&self) -> bool {
        self.0.is_busy.load(Ordering::SeqCst)
    }

    fn is_dead(&self) -> bool {
        self.0.is_dead.load(Ordering::SeqCst)
    }

    async fn close(&self) {
        if self.0.closing_hangs.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        self.0.closed.fetch_add(1, Ordering::SeqCst);
        self.0.closed_one.notify_one();
    }
}

async fn make(counts: Arc<Counts>) -> Result<Fake, Infallible> {
    // Long enough for everybody else to ask meanwhile.
    tokio::time::sleep(Duration::from_millis(50)).await;
    counts.made.fetch_add(1, Ordering::SeqCst);
    Ok(Fake(counts))
}

#[tokio::test(start_paused = true)]
async fn many_that_ask_at_once_get_one_and_others_their_own() {
    let (pool, counts) = (Arc::new(Pool::new(LIFETIME)), Arc::new(Counts::default()));
    let mut asking = JoinSet::new();
    for number in 0..64 {
        let (pool, counts) = (Arc::clone(&pool), Arc::clone(&counts));
        asking.spawn(async move { drop(pool.get(&(number % 4), || make(counts)).await.unwrap()) });
    }
    asking.join_all().await;
    assert_eq!((counts.made.load(Ordering::SeqCst), pool.len()), (4, 4));
    assert_eq!(pool.close_all().await, Vec::<i32>::new());
    assert_eq!(counts.closed.load(Ordering::SeqCst), 4);
}

#[tokio::test(start_paused = true)]
async fn an_idle_one_is_closed_after_its_time_and_a_used_one_is_not() {
    let (pool, counts) = (Pool::new(LIFETIME), Arc::new(Counts::default()));
    let used = pool.get(&"used", || make(Arc::clone(&counts))).await.unwrap();
    let idle = Arc::new(Counts::default());
    drop(pool.get(&"idle", || make(Arc::clone(&idle))).await.unwrap());
    tokio::time::sleep(LIFETIME - Duration::from_secs(1)).await;
    assert_eq!(idle.closed.load(Ordering::SeqCst), 0);
    // Coming back counts anew.
    drop(pool.get(&"idle", || make(Arc::clone(&idle))).await.unwrap());
    tokio::time::sleep(LIFETIME - Duration::from_secs(1)).await;
    assert_eq!(idle.closed.load(Ordering::SeqCst), 0);
    idle.closed_one.notified().await;
    assert_eq!((idle.made.load(Ordering::SeqCst), pool.len()), (1, 1));
    tokio::time::sleep(10 * LIFETIME).await;
    assert_eq!(counts.closed.load(Ordering::SeqCst), 0, "it is in use");
    drop(used);
    counts.closed_one.notified().await;
    assert!(pool.is_empty());
}

#[tokio::test(start_paused = true)]
async fn one_with_running_jobs_is_spared_until_they_end() {
    let (pool, counts) = (Pool::new(LIFETIME), Arc::new(Counts::default()));
    counts.is_busy.store(true, Ordering::SeqCst);
    drop(pool.get(&1, || make(Arc::clone(&counts))).await.unwrap());
    tokio::time::sleep(5 * LIFETIME).await;
    assert_eq!(counts.closed.load(Ordering::SeqCst), 0);
    counts.is_busy.store(false, Ordering::SeqCst);
    counts.closed_one.notified().await;
    assert!(pool.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_failed_creation_is_told_and_the_next_one_tries_again() {
    let (pool, counts) = (Pool::new(LIFETIME), Arc::new(Counts::default()));
    let refused = pool.get(&1, || async { Err::<Fake, _>("no engine") }).await;
    assert_eq!(refused.map(drop), Err("no engine"));
    let next = pool.get(&1, || make(Arc::clone(&counts))).await;
    assert!(next.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_dead_one_is_replaced() {
    let (pool, counts) = (Pool::new(LIFETIME), Arc::new(Counts::default()));
    let first = pool.get(&1, || make(Arc::clone(&counts))).await.unwrap();
    counts.is_dead.store(true, Ordering::SeqCst);
    let fresh = Arc::new(Counts::default());
    drop(pool.get(&1, || make(Arc::clone(&fresh))).await.unwrap());
    assert_eq!(fresh.made.load(Ordering::SeqCst), 1);
    drop(first);
}

#[tokio::test(start_paused = true)]
async fn closing_all_names_those_that_did_not_finish() {
    let (pool, good, bad) = (Pool::new(LIFETIME), Arc::new(Counts::default()), Arc::new(Counts::default()));
    bad.closing_hangs.store(true, Ordering::SeqCst);
    let _in_use = pool.get(&"good", || make(Arc::clone(&good))).await.unwrap();
    drop(pool.get(&"bad", || make(Arc::clone(&bad))).await.unwrap());
    let began = tokio::time::Instant::now();
    assert_eq!(pool.close_all().await, ["bad"]);
    assert!(began.elapsed() >= Duration::from_secs(15));
    assert_eq!(good.closed.load(Ordering::SeqCst), 1);
}
