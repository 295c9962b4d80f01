//! A terminal with a person in front of it: tmux on a socket of its own, and what its screen shows.

// This crate is for tests only, where a panic is the report.
#![expect(clippy::unwrap_used, reason = "a test tool reports by panicking")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

/// Long enough for a machine that is busy with something else.
const DEADLINE: Duration = Duration::from_secs(60);
/// Between two looks at the screen.
const GLANCE: Duration = Duration::from_millis(30);

/// A terminal. Its program runs in a folder of its own, with `home` in it as the home.
#[derive(Debug)]
pub struct Tmux {
    folder: tempfile::TempDir,
    program: PathBuf,
}

/// How the program is started.
#[derive(Debug, Default)]
pub struct Setting<'a> {
    /// `NAME=value`.
    pub variables: &'a [&'a str],
    pub size: Option<(u16, u16)>,
    /// Where it starts, as seen from the terminal's folder.
    pub folder: Option<&'a str>,
}

impl Tmux {
    /// A terminal in which nothing runs yet, and its folder with an empty home.
    pub fn of(program: impl AsRef<Path>) -> Self {
        let tmux = Self { folder: tempfile::tempdir().unwrap(), program: program.as_ref().to_owned() };
        fs::create_dir(tmux.path("home")).unwrap();
        tmux
    }

    /// Starts the program with these arguments, as a shell reads them, in a terminal of 80 by 24 unless told otherwise.
    #[must_use]
    pub fn start(self, arguments: &str, setting: &Setting<'_>) -> Self {
        self.run(arguments, setting);
        self
    }

    /// Starts the program once more, with the home of before, after it has ended.
    pub fn restart(&self, arguments: &str, setting: &Setting<'_>) {
        for left in ["code", "after", "pid"] {
            fs::remove_file(self.path(left)).unwrap();
        }
        self.write_script(arguments, setting);
        self.tmux(&["clear-history", "-t", "t"]);
        self.tmux(&["respawn-pane", "-k", "-t", "t", "sh script"]);
    }

    fn write_script(&self, arguments: &str, setting: &Setting<'_>) {
        let script = format!(
            "echo shell before\nstty -a > before\n\
             env HOME=\"$PWD\" HERMES_HOME=\"$PWD/home\" WORK={} {} sh -c 'echo $$ > pid; cd \"$WORK\"; exec {} {arguments}'\n\
             code=$?\nstty -a > after\necho $code > code.new\nmv code.new code\necho shell after\nread wait\n",
            setting.folder.unwrap_or("."),
            setting.variables.join(" "),
            self.program.display(),
        );
        fs::write(self.path("script"), script).unwrap();
    }

    fn run(&self, arguments: &str, setting: &Setting<'_>) {
        self.write_script(arguments, setting);
        let (columns, rows) = setting.size.unwrap_or((80, 24));
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let started = self.tmux(&["new-session", "-d", "-s", "t", "-x", &columns, "-y", &rows, "sh script"]);
        assert!(started.status.success(), "{started:?}");
        // The window stays as big as it is told to be.
        self.tmux(&["set-option", "-g", "window-size", "manual"]);
    }

    /// A file of the terminal's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// One command of tmux.
    #[expect(clippy::disallowed_methods, reason = "a test starts a terminal as a person would")]
    pub fn tmux(&self, arguments: &[&str]) -> Output {
        let path = HostPath::get();
        Command::new("tmux")
            .args(["-u", "-f", "/dev/null", "-S"])
            .arg(self.path("socket"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .envs([("PATH", path.as_str()), ("LANG", "C.UTF-8"), ("SHELL", "/bin/sh"), ("TERM", "screen")])
            .output()
            .unwrap()
    }

    /// Types these letters.
    pub fn types(&self, text: &str) {
        self.tmux(&["send-keys", "-t", "t", "-l", text]);
    }

    /// Presses keys by tmux's names for them.
    pub fn press(&self, keys: &[&str]) {
        let mut arguments = vec!["send-keys", "-t", "t"];
        arguments.extend(keys);
        self.tmux(&arguments);
    }

    /// Types a line and sends it.
    pub fn says(&self, line: &str) {
        self.types(line);
        self.press(&["Enter"]);
    }

    /// Pastes as a terminal does.
    pub fn pastes(&self, text: &str) {
        self.tmux(&["set-buffer", "-b", "p", text]);
        self.tmux(&["paste-buffer", "-p", "-r", "-b", "p", "-t", "t"]);
    }

    /// Makes the window this big.
    pub fn resize(&self, columns: u16, rows: u16) {
        self.tmux(&["resize-window", "-t", "t", "-x", &columns.to_string(), "-y", &rows.to_string()]);
    }

    /// The screen now, without spaces at the ends of lines.
    pub fn screen(&self) -> String {
        let captured = self.tmux(&["capture-pane", "-p", "-t", "t"]);
        let text = String::from_utf8_lossy(&captured.stdout).into_owned();
        text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    }

    /// What was on the screen and has been scrolled away, and the screen.
    pub fn everything(&self) -> String {
        String::from_utf8_lossy(&self.tmux(&["capture-pane", "-p", "-S", "-", "-t", "t"]).stdout).into_owned()
    }

    /// Waits until the screen is as expected.
    #[track_caller]
    pub fn until(&self, what: &str, expected: impl Fn(&str) -> bool) {
        let start = Instant::now();
        loop {
            let screen = self.screen();
            if expected(&screen) {
                return;
            }
            assert!(start.elapsed() < DEADLINE, "never came: {what}\n{screen}\n(everything)\n{}", self.everything());
            std::thread::sleep(GLANCE);
        }
    }

    /// Waits until this text is on the screen.
    #[track_caller]
    pub fn shows(&self, text: &str) {
        self.until(text, |screen| screen.contains(text));
    }

    /// Waits until the last line that says anything is this one.
    #[track_caller]
    pub fn ends_with(&self, line: &str) {
        self.until(&format!("{line} at the end"), |screen| screen.trim_end().lines().last() == Some(line));
    }

    /// Waits for the prompt, with nothing typed.
    #[track_caller]
    pub fn prompts(&self) {
        self.ends_with(">");
    }

    /// A value that tmux knows about the terminal.
    pub fn knows(&self, name: &str) -> String {
        let told = self.tmux(&["display-message", "-p", "-t", "t", &format!("#{{{name}}}")]);
        String::from_utf8_lossy(&told.stdout).trim().to_owned()
    }

    /// Sends the program a signal.
    pub fn kill(&self, signal: rustix::process::Signal) {
        let pid: i32 = fs::read_to_string(self.path("pid")).unwrap().trim().parse().unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal).unwrap();
    }

    /// Waits for the end of the program; gives its exit code.
    #[track_caller]
    pub fn ended(&self) -> i32 {
        let start = Instant::now();
        loop {
            if let Ok(code) = fs::read_to_string(self.path("code")) {
                return code.trim().parse().unwrap();
            }
            assert!(start.elapsed() < DEADLINE, "the program never ended\n{}", self.screen());
            std::thread::sleep(GLANCE);
        }
    }

    /// The terminal is as the program found it.
    #[track_caller]
    pub fn is_restored(&self) {
        let modes = |when| fs::read_to_string(self.path(when)).unwrap();
        assert_eq!(modes("before"), modes("after"));
        self.shows("shell after");
        assert_eq!(self.knows("alternate_on"), "0");
        assert_eq!(self.knows("cursor_flag"), "1");
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

/// Where programs are found.
struct HostPath;

impl HostPath {
    fn get() -> String {
        hermes_proto::HostEnvironment::capture().text("PATH").unwrap_or("/usr/bin:/bin").to_owned()
    }
}
