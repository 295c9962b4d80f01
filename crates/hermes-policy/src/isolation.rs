//! What stands between a command and the machine.

/// The boundary around an environment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Isolation {
    /// A container that sees nothing of the host.
    Container,
    /// A container with a folder of the host in it.
    ContainerWithHostMount,
    /// The kernel sandbox: the workspace is the host's.
    Sandbox,
    /// Nothing.
    None,
}

impl Isolation {
    pub const ALL: [Self; 4] = [Self::Container, Self::ContainerWithHostMount, Self::Sandbox, Self::None];
}
