internal import Foundation
internal import SwiftProtobuf
internal import Synchronization
internal import WhereaboutsLocationWireMessages

@testable internal import CoreLocation

/// A device that the test controls; it records the messages that it receives.
final class FakeDevice: Transport {
    private struct State {
        var receive: (@Sendable (TransportEvent) -> Void)?
        var declarations: [WireDeclaration] = []
        var tokenRequests: [UInt64] = []
        var authorizationRequests: [Bool] = []
        var fullAccuracyRequests: [WireFullAccuracyRequest] = []
        var geocodeRequests: [WireGeocodeRequest] = []
        var phases: [WirePhase] = []
        var completed: [UInt64] = []
        var monitorChanges: [WireMonitorChange] = []
        var misuses: [String] = []
    }

    private let state = Mutex(State())
    private let told = Bell()
    private let first: WireState?
    let callbacks: CallbackContext?

    /// Creates a device.
    ///
    /// - Parameters:
    ///   - first: what it says on every connection; nil: it cannot be reached.
    ///   - callbacks: where delegates are called; nil: as Apple documents.
    init(
        saying first: WireState? = .with { $0.authorization = .whenInUse },
        callbacks: CallbackContext? = nil
    ) {
        self.first = first
        self.callbacks = callbacks
    }

    func start(_ receive: @escaping @Sendable (TransportEvent) -> Void) {
        self.state.withLock { $0.receive = receive }
        guard let first else { return receive(.disconnected) }
        receive(.connected)
        self.tell { $0 = first }
    }

    func send(_ message: WireClientMessage) {
        self.state.withLock { state in
            switch message.body {
            case .declaration(let declaration): state.declarations.append(declaration)
            case .pushTokenRequest(let request): state.tokenRequests.append(request.request)
            case .pushCompleted(let push): state.completed.append(push.pushLow)
            case .authorizationRequest(let request): state.authorizationRequests.append(request.always)
            case .fullAccuracyRequest(let request): state.fullAccuracyRequests.append(request)
            case .geocodeRequest(let request): state.geocodeRequests.append(request)
            case .phaseReport(let report): state.phases.append(report.phase)
            case .monitorChange(let change): state.monitorChanges.append(change)
            case .stopMonitoringPushes, nil: break
            }
        }
        self.told.ring()
    }

    func misused(_ rule: String) { self.state.withLock { $0.misuses.append(rule) } }

    /// Waits until the messages to the device satisfy a condition; checks again after each message.
    func wait(until isTold: () -> Bool) async {
        await self.told.wait(until: isTold)
    }

    // MARK: Messages of the device

    func report(_ event: TransportEvent) {
        self.state.withLock { $0.receive }?(event)
    }

    func tell(_ message: WireDaemonMessage) {
        self.report(.message(message))
    }

    func tell(_ change: (inout WireState) -> Void) {
        var state = WireState.with(change)
        // locationd always sends a limit.
        if state.declarationsMax == 0 { state.declarationsMax = 256 }
        self.tell(.with { $0.state = state })
    }

    /// Gives a stream an update; without a latitude one without a position.
    func give(latitude: Int32? = nil, diagnostics: UInt32 = 0, to stream: UInt64) {
        self.tell(
            .with {
                $0.update = .with {
                    $0.stream = stream
                    if let latitude { $0.fix = .with { $0.latitude = latitude } }
                    $0.diagnostics = diagnostics
                }
            }
        )
    }

    func give(diagnostics: UInt32, ofClaim claim: UInt64) {
        self.tell(
            .with {
                $0.diagnostics = .with {
                    $0.session = claim
                    $0.diagnostics = diagnostics
                }
            }
        )
    }

    func answerFullAccuracy(_ request: UInt64, declined: Bool) {
        self.tell(
            .with {
                $0.requestResult = .with {
                    $0.request = request
                    $0.declined = declined
                }
            }
        )
    }

    // MARK: Messages to the device

    /// The rules that the app broke.
    var misuses: [String] { self.state.withLock { $0.misuses } }

    var declaration: WireDeclaration? { self.state.withLock { $0.declarations.last } }
    var declarations: Int { self.state.withLock { $0.declarations.count } }
    var streams: [WireStream] { self.declaration?.streams ?? [] }
    var tokenRequests: [UInt64] { self.state.withLock { $0.tokenRequests } }
    var authorizationRequests: [Bool] { self.state.withLock { $0.authorizationRequests } }
    var fullAccuracyRequests: [WireFullAccuracyRequest] {
        self.state.withLock { $0.fullAccuracyRequests }
    }
    var geocodeRequests: [WireGeocodeRequest] { self.state.withLock { $0.geocodeRequests } }
    var phases: [WirePhase] { self.state.withLock { $0.phases } }
    var monitorChanges: [WireMonitorChange] { self.state.withLock { $0.monitorChanges } }
}

/// Delegate calls that run when the test says so.
final class HeldCalls: Sendable {
    private let work = Mutex<[@Sendable () -> Void]>([])

    var context: CallbackContext {
        CallbackContext { work in self.work.withLock { $0.append(work) } }
    }

    /// Runs the waiting calls, and the calls that these add.
    func run() {
        while true {
            let waiting = self.work.withLock { work in
                defer { work = [] }
                return work
            }
            if waiting.isEmpty { return }
            for call in waiting { call() }
        }
    }
}
