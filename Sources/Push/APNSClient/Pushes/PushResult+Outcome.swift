internal import WhereaboutsAPNS
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine

extension PushResult {
    /// Translates the pool's outcome to a result with a message and the next step.
    init(
        _ outcome: PushPool.Outcome,
        _ failure: ConnectionFailure?,
        configuration: APNSClient.Configuration,
        timeout: Duration
    ) {
        func failed(_ code: APNSError.Code, _ words: String, _ remedy: Remedy) -> PushResult {
            .failed(APNSError(code, words, remedy))
        }
        let server = "\(configuration.endpoint.host):\(configuration.endpoint.port)"
        let cause = (failure ?? .timedOut).words(trustRoots: "trustRoots")
        let soon = Remedy.sendAgain(after: .seconds(1))
        let unreached = failed(
            .cannotConnect,
            "\(server) cannot be reached: \(cause)",
            failure?.isOfConfiguration == true ? .changeConfiguration : soon
        )
        func unreadable(_ status: Int?) -> PushResult {
            let what = status.map { "status \($0) without one of APNs' reasons" } ?? "no status"
            let words = "\(server) answered with \(what); is it an APNs server?"
            return failed(.unexpectedResponse, words, .changeConfiguration)
        }
        let mayBeAccepted = "it may have been accepted"
        switch outcome {
        case .answered(.accepted(let answer)) where answer.status == 200:
            self = .accepted(Accepted(apnsID: answer.id, uniqueID: answer.uniqueID))
        case .answered(.accepted(let answer)): self = unreadable(answer.status)
        case .answered(.rejected(let reason, let timestamp, let relay)):
            self = .rejected(Rejected(reason: reason, timestamp: timestamp, relay: relay))
        case .answered(.unreadable(let status)): self = unreadable(status)
        case .lost:
            let words = "the connection to \(server) ended before the answer; \(mayBeAccepted)"
            self = failed(.connectionLost, words, .decide)
        case .refused:
            self = failed(.refused, "\(server) refused the request each time it was sent, without a reason", soon)
        case .unreachable:
            self = unreached
        case .timedOut(wasSent: true):
            self = failed(.deadlineExceeded, "no answer of \(server) within \(timeout); \(mayBeAccepted)", .decide)
        case .timedOut(wasSent: false):
            // Without a recorded failure the server was reachable, but accepted no stream.
            self =
                failure == nil
                ? failed(.deadlineExceeded, "\(server) had no room for it within \(timeout); nothing was sent", soon)
                : unreached
        case .cancelled(let wasSent):
            let rest = wasSent ? mayBeAccepted : "nothing was sent"
            self = failed(.cancelled, "the task was cancelled; \(rest)", wasSent ? .decide : .nothing)
        case .full:
            let words =
                "\(configuration.inFlightMax) pushes are waiting for an answer, which is the limit; nothing was sent"
            self = failed(.tooManyInFlight, words, soon)
        case .shutDown:
            self = failed(.shutDown, "the client was shut down; nothing was sent", .nothing)
        }
    }
}
