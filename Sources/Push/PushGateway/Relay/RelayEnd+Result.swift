internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

extension RelayEnd {
    /// The outcome of a push, from the client's result.
    ///
    /// A push counts as unsent only if it certainly never reached Apple. Otherwise it is unanswered: its outcome is unknown.
    init(_ result: PushResult) {
        switch result {
        case .accepted: self = .accepted
        case .rejected(let rejected):
            self = .rejected(rejected.reason, timestamp: rejected.timestamp.map { WallTime(milliseconds: $0) })
        case .failed(let error):
            let isUnsent =
                switch error.code {
                case .cannotConnect, .refused, .tooManyInFlight, .malformedPush, .badConfiguration, .shutDown: true
                case .deadlineExceeded, .cancelled: !error.mayHaveBeenAccepted
                // Apple may have accepted the push: the connection was lost, the answer unreadable, or the error is a new one.
                default: false
                }
            // If the client's own check failed, `error.reason` is the reason that Apple would have given.
            self = isUnsent ? .unsent(error.reason) : .unanswered
        }
    }
}
