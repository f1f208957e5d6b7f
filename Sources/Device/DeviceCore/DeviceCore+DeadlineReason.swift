public import WhereaboutsLocationEngine

extension DeviceCore {
    /// The reason for ``nextDeadline``.
    public enum DeadlineReason: Sendable, Hashable {
        /// To kill the processes that have not ended since the shutdown began.
        case shutdown
        /// To confirm that an app started, or to kill a process that has not ended.
        case process
        /// The engine has a deadline.
        case engine(Engine.DeadlineReason)
        /// To retry saving the state, after the disk refused it.
        case saving
        /// To retry storing pushes, after the disk refused them.
        case keepingPushes
        /// To read pushes from the gateway again.
        case pushFlow
        /// To give up a question to the geocoder.
        case geocoding
        /// To try another source of positions, or to stop one.
        case sources
    }
}

extension DeviceCore.DeadlineReason: CustomStringConvertible {
    /// The reason for a status or a log.
    public var description: String {
        switch self {
        case .shutdown: "shutdown"
        case .process: "process"
        case .engine(let reason): reason.rawValue
        case .saving: "state not saved"
        case .keepingPushes: "push not saved"
        case .pushFlow: "push flow"
        case .geocoding: "geocoding"
        case .sources: "sources"
        }
    }
}
