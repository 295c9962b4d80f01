//! Clients that take more than they should, over real sockets.

#[cfg(test)]
mod client;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod shutdown;
