internal import LocationWireMessages
internal import SwiftProtobuf
internal import Synchronization

@testable internal import CoreLocation

/// A device that the test speaks for; it rejects what no client may do.
final class FakeDevice: Transport {
    private struct State {
        var receive: (@Sendable (TransportEvent) -> Void)?
        var declarations: [Whereabouts_Locationwire_V1_Declaration] = []
        var requests: [UInt64] = []
        var completed: [UInt64] = []
    }

    private let state = Mutex(State())
    private let answersAtOnce: Bool

    init(answersAtOnce: Bool = true) {
        self.answersAtOnce = answersAtOnce
    }

    func start(_ receive: @escaping @Sendable (TransportEvent) -> Void) {
        self.state.withLock { $0.receive = receive }
        guard self.answersAtOnce else { return receive(.disconnected) }
        receive(.connected)
        self.tell(.with { $0.state = .with { $0.authorization = .whenInUse } })
    }

    func send(_ message: Whereabouts_Locationwire_V1_ClientMessage) {
        self.state.withLock { state in
            switch message.body {
            case .declaration(let declaration): state.declarations.append(declaration)
            case .pushTokenRequest(let request): state.requests.append(request.request)
            case .pushCompleted(let push): state.completed.append(push.pushLow)
            case .stopMonitoringPushes, .authorizationRequest, .fullAccuracyRequest, .phaseReport, nil: break
            }
        }
    }

    func report(_ event: TransportEvent) {
        self.state.withLock { $0.receive }?(event)
    }

    func tell(_ message: Whereabouts_Locationwire_V1_DaemonMessage) {
        self.report(.message(message))
    }

    func give(latitude: Int32, to stream: UInt64) {
        self.tell(
            .with {
                $0.update = .with {
                    $0.stream = stream
                    $0.fix = .with { $0.latitude = latitude }
                }
            }
        )
    }

    func give(diagnostics: UInt32, to stream: UInt64) {
        self.tell(
            .with {
                $0.update = .with {
                    $0.stream = stream
                    $0.diagnostics = diagnostics
                }
            }
        )
    }

    var declaration: Whereabouts_Locationwire_V1_Declaration? { self.state.withLock { $0.declarations.last } }
    var requests: [UInt64] { self.state.withLock { $0.requests } }
}
