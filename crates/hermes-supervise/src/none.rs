//! Where nobody supervises: every request says so.

use hermes_home::HomeName;

use crate::manager::{ManagerKind, Registration, ServiceError, ServiceManager, ServiceState, ServiceStatus};

/// No service manager.
#[derive(Debug, Clone, Copy)]
pub struct NoManager;

impl ServiceManager for NoManager {
    fn kind(&self) -> ManagerKind {
        ManagerKind::None
    }

    fn supports_registration(&self) -> bool {
        false
    }

    fn start(&self, _: &HomeName) -> Result<(), ServiceError> {
        Err(ServiceError::NoManager)
    }

    fn stop(&self, _: &HomeName) -> Result<(), ServiceError> {
        Err(ServiceError::NoManager)
    }

    fn restart(&self, _: &HomeName) -> Result<(), ServiceError> {
        Err(ServiceError::NoManager)
    }

    fn status(&self, _: &HomeName) -> Result<ServiceStatus, ServiceError> {
        Ok(ServiceStatus { state: ServiceState::Absent, wanted: false, reason: None })
    }

    fn register(&self, _: &HomeName, _: &Registration) -> Result<(), ServiceError> {
        Err(ServiceError::NotSupported { kind: self.kind() })
    }

    fn unregister(&self, _: &HomeName) -> Result<(), ServiceError> {
        Ok(())
    }

    fn list(&self) -> Result<Vec<HomeName>, ServiceError> {
        Ok(Vec::new())
    }
}
