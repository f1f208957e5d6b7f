internal import Foundation
internal import Testing
internal import WhereaboutsLocationEngine

@testable internal import CoreLocation

/// Goal: each property reads the bit that the engine sets.
///
/// These bits are part of the wire format and never change.
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

    private static let ofMonitors: [(MonitorDiagnostics, any KeyPath<CLMonitor.Event, Bool> & Sendable)] = [
        (MonitorDiagnostics(rawValue: UpdateDiagnostics.authorizationDenied.rawValue), \.authorizationDenied),
        (
            MonitorDiagnostics(rawValue: UpdateDiagnostics.authorizationDeniedGlobally.rawValue),
            \.authorizationDeniedGlobally
        ),
        (MonitorDiagnostics(rawValue: UpdateDiagnostics.authorizationRestricted.rawValue), \.authorizationRestricted),
        (
            MonitorDiagnostics(rawValue: UpdateDiagnostics.authorizationRequestInProgress.rawValue),
            \.authorizationRequestInProgress
        ),
        (MonitorDiagnostics(rawValue: UpdateDiagnostics.insufficientlyInUse.rawValue), \.insufficientlyInUse),
        (MonitorDiagnostics(rawValue: UpdateDiagnostics.serviceSessionRequired.rawValue), \.serviceSessionRequired),
        (.accuracyLimited, \.accuracyLimited),
        (.conditionUnsupported, \.conditionUnsupported),
        (.conditionLimitExceeded, \.conditionLimitExceeded),
        (.persistenceUnavailable, \.persistenceUnavailable),
    ]

    /// An app contains the bits of the library it was built with; a saved condition contains those of an earlier
    /// daemon.
    @Test func theBitsStay() {
        let updates: [UpdateDiagnostics] = [
            .authorizationDenied, .authorizationRequestInProgress, .insufficientlyInUse, .serviceSessionRequired,
            .locationUnavailable, .authorizationDeniedGlobally, .authorizationRestricted, .accuracyLimited,
            .stationary, .headingUnavailable, .rangingUnavailable,
        ]
        #expect(updates.map(\.rawValue) == (0...10).map { 1 << $0 })
        let sessions: [SessionDiagnostics] = [
            .authorizationDenied, .authorizationRequestInProgress, .insufficientlyInUse, .alwaysAuthorizationDenied,
            .serviceSessionRequired, .authorizationDeniedGlobally, .authorizationRestricted, .fullAccuracyDenied,
        ]
        #expect(sessions.map(\.rawValue) == (0...7).map { 1 << $0 })
        let monitors: [MonitorDiagnostics] = [
            .accuracyLimited, .conditionUnsupported, .conditionLimitExceeded, .persistenceUnavailable, .abandoned,
        ]
        #expect(monitors.map(\.rawValue) == (7...11).map { 1 << $0 })
        #expect([Notices.entry, .exit, .first, .display].map(\.rawValue) == [1, 2, 4, 8])
        #expect(MonitorItem.allNotices == UInt32(Notices.all.rawValue))
    }

    @Test func eachBitOfAMonitorsEventIsOneProperty() {
        for (bit, _) in Self.ofMonitors {
            let event = CLMonitor.Event(
                identifier: "a",
                refinement: nil,
                state: .unknown,
                date: .distantPast,
                bits: UInt32(bit.rawValue)
            )
            for (other, property) in Self.ofMonitors { #expect(event[keyPath: property] == (other == bit)) }
        }
        #expect(CLMonitor.Event.unsupported("a", .distantPast).conditionUnsupported)
        #expect(CLMonitor.Event.beyondLimit("a", .distantPast).conditionLimitExceeded)
    }

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
