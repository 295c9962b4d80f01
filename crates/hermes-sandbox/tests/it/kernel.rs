//! The probes' answers, compared with somebody else's.

use std::ffi::OsStr;
use std::fs;
use std::time::{Duration, Instant};

use hermes_sandbox::kernel::{KernelFeatures, Namespaces, Seccomp, Support};
use hermes_sandbox::process::{Helper, HelperError, find_program};

const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

fn ask(program: &str, arguments: &[&str]) -> Result<String, HelperError> {
    let helper = Helper::new(program).args(arguments.iter().copied()).environment([("PATH", PATH)]);
    helper.run().map(|outcome| outcome.standard_output.text())
}

/// A line of what the kernel tells about this thread.
fn status_line(name: &str) -> Option<String> {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap();
    status.lines().find_map(|line| line.strip_prefix(name)).map(|rest| rest.trim_matches([':', '\t', ' ']).to_owned())
}

#[test]
fn landlock_abi_is_what_python_gets_from_the_kernel() {
    let question = "import ctypes\nprint(max(ctypes.CDLL(None).syscall(444, None, 0, 1), 0))";
    if find_program("python3", OsStr::new(PATH)).is_none() {
        return;
    }
    let answer = ask("python3", &["-c", question]).unwrap();
    assert_eq!(KernelFeatures::probe().landlock.abi().to_string(), answer);
}

#[test]
fn namespaces_are_available_where_unshare_can_make_them() {
    let unshare = ["--user", "--mount", "--pid", "--fork", "true"];
    let available = match ask("unshare", &unshare) {
        Ok(_) => true,
        Err(HelperError::Failed { .. }) => false,
        Err(other) => panic!("{other}"),
    };
    assert_eq!(KernelFeatures::probe().namespaces == Namespaces::Available, available);
}

#[test]
fn seccomp_and_no_new_privileges_agree_with_proc() {
    let features = KernelFeatures::probe();
    let actions = fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
    let expected = match status_line("Seccomp:") {
        Some(_) => Seccomp::Filter { notify: actions.contains("user_notif") },
        None => Seccomp::NotBuilt,
    };
    assert_eq!(features.seccomp, expected);
    assert_eq!(features.no_new_privileges == Support::Available, status_line("NoNewPrivs").is_some());
}

#[test]
fn probing_changes_nothing_in_this_process() {
    const OFTEN: usize = 100;
    let places = ["user", "mnt", "pid_for_children"].map(|name| format!("/proc/self/ns/{name}"));
    let state = || {
        let namespaces = places.clone().map(|place| fs::read_link(place).unwrap());
        let flags = ["NoNewPrivs", "Seccomp:", "SigBlk", "SigPnd"].map(status_line);
        (namespaces, flags)
    };
    let descriptors = || fs::read_dir("/proc/self/fd").unwrap().count();
    // Only kernels that can be checkpointed list them.
    let children = || fs::read_to_string("/proc/thread-self/children").unwrap_or_default();
    let (before, open) = (state(), descriptors());
    for _ in 0..OFTEN {
        KernelFeatures::probe();
    }
    assert_eq!(state(), before);
    assert_eq!(children(), "");
    assert!(descriptors() < open + OFTEN, "{} descriptors more", descriptors() - open);
}

#[test]
fn threads_may_probe_at_once() {
    let expected = KernelFeatures::probe();
    let started = Instant::now();
    std::thread::scope(|scope| {
        let probes: Vec<_> = (0..4).map(|_| scope.spawn(KernelFeatures::probe)).collect();
        for probe in probes {
            assert_eq!(probe.join().unwrap(), expected);
        }
    });
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}
