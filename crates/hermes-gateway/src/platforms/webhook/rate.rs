//! How often a route may be called. Only signed requests count: nobody else uses up what belongs to a route.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const MINUTE: Duration = Duration::from_secs(60);

/// The calls of all routes.
#[derive(Debug, Default)]
pub(super) struct Rates(Mutex<HashMap<String, Bucket>>);

#[derive(Debug)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Rates {
    /// Counts a call; how long to wait if there were too many.
    pub(super) fn count(&self, route: &str, in_a_minute: u32, now: Instant) -> Result<(), Duration> {
        let most = f64::from(in_a_minute.max(1));
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.entry(route.to_owned()).or_insert(Bucket { left: most, at: now });
        let passed = now.saturating_duration_since(bucket.at);
        bucket.left = (bucket.left + most * passed.as_secs_f64() / MINUTE.as_secs_f64()).min(most);
        bucket.at = now;
        if bucket.left < 1.0 {
            return Err(MINUTE.mul_f64((1.0 - bucket.left) / most).max(Duration::from_secs(1)));
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Rates;

    #[test]
    fn a_route_has_so_many_calls_and_gets_them_back() {
        let (rates, now) = (Rates::default(), Instant::now());
        assert_eq!([(); 3].map(|()| rates.count("a", 2, now).is_ok()), [true, true, false]);
        assert!(rates.count("b", 2, now).is_ok());
        assert!(rates.count("a", 2, now + Duration::from_secs(31)).is_ok());
        assert!(rates.count("a", 2, now + Duration::from_secs(31)).is_err());
    }
}
