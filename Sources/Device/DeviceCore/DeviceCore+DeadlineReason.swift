public import WhereaboutsLocationEngine

extension DeviceCore {
    /// Why ``nextDeadline`` comes.
    public enum DeadlineReason: Sendable, Hashable {
        /// To kill the processes that have not ended since the shutdown began.
        case shutdown
        /// To confirm that an app started, or to kill a process that has not ended.
        case process
        /// The engine waits.
        case engine(Engine.DeadlineReason)
        /// To save the state again, which the disk refused.
        case saving
        /// To write pushes again, which the disk refused.
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
