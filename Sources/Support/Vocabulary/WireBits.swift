/// The bits of sets that the engine creates and other code reads from the wire, without importing each other.
///
/// They never change, because an app keeps the bits of the library that it was built with.
package enum WireBits {
    /// Facts about an update besides its measurement, or the reasons why it has no measurement:
    /// `LocationEngine.UpdateDiagnostics`.
    package enum Update {
        @inlinable package static var authorizationDenied: UInt16 { 1 << 0 }
        @inlinable package static var authorizationRequestInProgress: UInt16 { 1 << 1 }
        @inlinable package static var insufficientlyInUse: UInt16 { 1 << 2 }
        @inlinable package static var serviceSessionRequired: UInt16 { 1 << 3 }
        @inlinable package static var locationUnavailable: UInt16 { 1 << 4 }
        @inlinable package static var authorizationDeniedGlobally: UInt16 { 1 << 5 }
        @inlinable package static var authorizationRestricted: UInt16 { 1 << 6 }
        @inlinable package static var accuracyLimited: UInt16 { 1 << 7 }
        @inlinable package static var stationary: UInt16 { 1 << 8 }
        @inlinable package static var headingUnavailable: UInt16 { 1 << 9 }
        @inlinable package static var rangingUnavailable: UInt16 { 1 << 10 }
    }

    /// The state of a session: `LocationEngine.SessionDiagnostics`, which has its own numbers.
    package enum Session {
        @inlinable package static var authorizationDenied: UInt16 { 1 << 0 }
        @inlinable package static var authorizationRequestInProgress: UInt16 { 1 << 1 }
        @inlinable package static var insufficientlyInUse: UInt16 { 1 << 2 }
        @inlinable package static var alwaysAuthorizationDenied: UInt16 { 1 << 3 }
        @inlinable package static var serviceSessionRequired: UInt16 { 1 << 4 }
        @inlinable package static var authorizationDeniedGlobally: UInt16 { 1 << 5 }
        @inlinable package static var authorizationRestricted: UInt16 { 1 << 6 }
        @inlinable package static var fullAccuracyDenied: UInt16 { 1 << 7 }
    }

    /// The reasons why a condition has no events, besides the first eight bits of ``Update``:
    /// `LocationEngine.MonitorDiagnostics`.
    package enum Monitor {
        @inlinable package static var conditionUnsupported: UInt16 { 1 << 8 }
        @inlinable package static var conditionLimitExceeded: UInt16 { 1 << 9 }
        @inlinable package static var persistenceUnavailable: UInt16 { 1 << 10 }
        @inlinable package static var abandoned: UInt16 { 1 << 11 }
    }

    /// The crossings that an app wants to receive: `LocationEngine.Notices`.
    package enum Notice {
        @inlinable package static var entry: UInt8 { 1 << 0 }
        @inlinable package static var exit: UInt8 { 1 << 1 }
        @inlinable package static var first: UInt8 { 1 << 2 }
        @inlinable package static var display: UInt8 { 1 << 3 }
    }
}
