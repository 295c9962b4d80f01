//! Which of the host's variables a command may inherit without being asked for.
//!
//! An allow-list: what is not named here stays with the host until `terminal.env_passthrough`
//! names it. It holds what programs need to run at all, to find toolchains and to reach
//! the network the way the host does.

const NAMES: &[&str] = &[
    "ALL_PROXY",
    "CARGO_HOME",
    "COLORTERM",
    "CONDA_EXE",
    "CURL_CA_BUNDLE",
    "DOTNET_ROOT",
    "EDITOR",
    "FTP_PROXY",
    "GEM_HOME",
    "GOPATH",
    "GOPROXY",
    "GOROOT",
    "GRADLE_USER_HOME",
    "HOME",
    "HOMEBREW_PREFIX",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "JAVA_HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "MANPATH",
    "NODE_EXTRA_CA_CERTS",
    "NODE_PATH",
    "NO_COLOR",
    "NO_PROXY",
    "NVM_DIR",
    "PATH",
    "PIP_INDEX_URL",
    "PNPM_HOME",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "REQUESTS_CA_BUNDLE",
    "RUSTUP_HOME",
    "SDKMAN_DIR",
    "SHELL",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TERM",
    "TERMINFO",
    "TZ",
    "USER",
    "VISUAL",
    "VOLTA_HOME",
    "all_proxy",
    "ftp_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

/// Families: locale settings and the folders of the desktop specification.
const PREFIXES: &[&str] = &["LC_", "XDG_CACHE_", "XDG_CONFIG_", "XDG_DATA_", "XDG_STATE_"];

pub(super) fn is_inherited(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok() || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::{NAMES, is_inherited};
    use crate::environment::blocklist::{is_credential, looks_like_a_secret};

    #[test]
    fn the_list_is_sorted_and_holds_no_secret() {
        assert!(NAMES.is_sorted());
        for name in NAMES {
            assert!(!is_credential(name) && !looks_like_a_secret(name), "{name}");
        }
    }

    #[test]
    fn only_what_is_listed_is_inherited() {
        for name in ["PATH", "LC_ALL", "XDG_CONFIG_HOME", "https_proxy"] {
            assert!(is_inherited(name), "{name}");
        }
        for name in ["LD_PRELOAD", "BASH_ENV", "PYTHONPATH", "VIRTUAL_ENV", "HERMES_HOME", "XDG_RUNTIME_DIR", "TMPDIR"]
        {
            assert!(!is_inherited(name), "{name}");
        }
    }
}
