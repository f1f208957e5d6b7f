internal import APNS
internal import Connecting
internal import PushEngine

extension PushResult {
    /// The pool's outcome in words, with the next step.
    init(
        _ outcome: PushPool.Outcome,
        _ failure: ConnectionFailure?,
        configuration: APNSClient.Configuration,
        timeout: Duration
    ) {
        let server = "\(configuration.endpoint.host):\(configuration.endpoint.port)"
        let words = (failure ?? .timedOut).words(trustRoots: "trustRootsPath")
        let soon = Remedy.sendAgain(after: .seconds(1))
        let unreached = APNSError(
            .cannotConnect,
            "\(server) cannot be reached: \(words)",
            failure?.isOfConfiguration == true ? .changeConfiguration : soon
        )
        switch outcome {
        case .answered(.accepted(let id, let uniqueID)): self = .accepted(Accepted(apnsID: id, uniqueID: uniqueID))
        case .answered(.rejected(let reason, let timestamp, let relay)):
            self = .rejected(Rejected(reason: reason, timestamp: timestamp, relay: relay))
        case .answered(.unreadable(let status)):
            let what = status.map { "status \($0) and no reason of APNs'" } ?? "no status"
            self = .failed(
                APNSError(
                    .unexpectedResponse,
                    "\(server) answered with \(what); is it an APNs server?",
                    .changeConfiguration
                )
            )
        case .lost:
            self = .failed(
                APNSError(
                    .connectionLost,
                    "the connection to \(server) ended before the answer; the push may have been accepted",
                    .decide
                )
            )
        case .refused:
            self = .failed(
                APNSError(.refused, "\(server) refused the push each time it was sent, without a reason", soon)
            )
        case .unreachable:
            self = .failed(unreached)
        case .timedOut(wasSent: true):
            self = .failed(
                APNSError(
                    .deadlineExceeded,
                    "no answer of \(server) within \(timeout); the push may have been accepted",
                    .decide
                )
            )
        case .timedOut(wasSent: false):
            // With no failure on record the server was there, and let nothing in.
            self = .failed(
                failure == nil
                    ? APNSError(.deadlineExceeded, "\(server) had no room within \(timeout); nothing was sent", soon)
                    : unreached
            )
        case .cancelled(let wasSent):
            let rest = wasSent ? "the push may have been accepted" : "nothing was sent"
            self = .failed(
                APNSError(.cancelled, "the task was cancelled; \(rest)", wasSent ? .decide : .nothing)
            )
        case .full:
            self = .failed(
                APNSError(
                    .tooManyInFlight,
                    "\(configuration.inFlightMax) pushes are under way, which is the limit; nothing was sent",
                    soon
                )
            )
        case .shutDown:
            self = .failed(APNSError(.shutDown, "the client was shut down; nothing was sent", .nothing))
        }
    }
}
