//! The container image as its users see it: a real engine, a real container, nothing looked at that
//! `docker run`, `docker exec` and `docker logs` do not show.
//!
//! The image is `HERMES_TEST_IMAGE`, or made from the program under test. Commands in a container run as
//! the user hermes unless a test says otherwise: what works only for root does not work.

// Already true of this binary; said so that clippy takes its helpers for tests too.
#![cfg(test)]

mod harness;
mod image;
mod test_boot;
mod test_container_restart;
mod test_dashboard;
mod test_docker_exec_privilege_drop;
mod test_gateway_commands;
mod test_gateway_run_supervised;
mod test_hostile;
mod test_main_invocation;
mod test_profile_gateway;
mod test_s6_profile_gateway_integration;
mod test_supervision;
mod test_tui_passthrough;
mod test_two_containers;
mod test_zombie_reaping;
