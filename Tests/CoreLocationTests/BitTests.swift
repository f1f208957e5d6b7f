internal import LocationEngine
internal import Testing

@testable internal import CoreLocation

/// The module and the engine number their diagnostics alike, though neither imports the other.
@Suite struct BitTests {
    private static let ofUpdates: [(UpdateDiagnostics, any KeyPath<CLLocationUpdate, Bool> & Sendable)] = [
        (.authorizationDenied, \.authorizationDenied),
        (.authorizationDeniedGlobally, \.authorizationDeniedGlobally),
        (.authorizationRestricted, \.authorizationRestricted),
        (.authorizationRequestInProgress, \.authorizationRequestInProgress),
        (.insufficientlyInUse, \.insufficientlyInUse),
        (.serviceSessionRequired, \.serviceSessionRequired),
        (.locationUnavailable, \.locationUnavailable),
        (.accuracyLimited, \.accuracyLimited),
        (.stationary, \.stationary),
    ]

    private static let ofSessions: [(SessionDiagnostics, any KeyPath<CLServiceSession.Diagnostic, Bool> & Sendable)] = [
        (.authorizationDenied, \.authorizationDenied),
        (.authorizationDeniedGlobally, \.authorizationDeniedGlobally),
        (.authorizationRestricted, \.authorizationRestricted),
        (.authorizationRequestInProgress, \.authorizationRequestInProgress),
        (.insufficientlyInUse, \.insufficientlyInUse),
        (.serviceSessionRequired, \.serviceSessionRequired),
        (.fullAccuracyDenied, \.fullAccuracyDenied),
        (.alwaysAuthorizationDenied, \.alwaysAuthorizationDenied),
    ]

    private typealias Background = CLBackgroundActivitySession.Diagnostic

    private static let ofBackground: [(SessionDiagnostics, any KeyPath<Background, Bool> & Sendable)] = [
        (.authorizationDenied, \.authorizationDenied),
        (.authorizationDeniedGlobally, \.authorizationDeniedGlobally),
        (.authorizationRestricted, \.authorizationRestricted),
        (.authorizationRequestInProgress, \.authorizationRequestInProgress),
        (.insufficientlyInUse, \.insufficientlyInUse),
        (.serviceSessionRequired, \.serviceSessionRequired),
    ]

    @Test func eachBitOfAnUpdateIsOneProperty() {
        for (bit, _) in Self.ofUpdates {
            let update = CLLocationUpdate(location: nil, bits: UInt32(bit.rawValue))
            for (other, property) in Self.ofUpdates { #expect(update[keyPath: property] == (other == bit)) }
        }
        #expect(CLLocationUpdate.withoutDaemon.locationUnavailable)
    }

    @Test func eachBitOfASessionIsOneProperty() {
        for (bit, _) in Self.ofSessions {
            let diagnostic = CLServiceSession.Diagnostic(bits: UInt32(bit.rawValue))
            for (other, property) in Self.ofSessions { #expect(diagnostic[keyPath: property] == (other == bit)) }
        }
    }

    @Test func eachBitOfABackgroundSessionIsOneProperty() {
        for (bit, _) in Self.ofBackground {
            let diagnostic = Background(bits: UInt32(bit.rawValue))
            for (other, property) in Self.ofBackground { #expect(diagnostic[keyPath: property] == (other == bit)) }
        }
    }
}
