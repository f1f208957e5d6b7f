internal import Foundation
internal import Synchronization

/// Watches conditions of a name and tells when they begin or cease to be satisfied.
///
/// No condition can be watched on this device yet. Each that is added yields one event: its state is `.unmonitored`
/// and ``Event/conditionUnsupported`` is true.
public actor CLMonitor {
    private let replica: MonitorReplica

    /// The events of the conditions; one loop should read it for as long as the monitor lives.
    public let events: Events

    /// Opens the monitor of a name, or creates it.
    ///
    /// - Parameter name: letters and digits; not empty.
    public init(_ name: String) async {
        self.init(name, client: .current())
    }

    init(_ name: String, client: LocationClient) {
        precondition(
            !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) },
            "a monitor's name must be letters and digits, got \"\(name)\""
        )
        self.replica = client.monitor(name)
        self.events = Events(replica: self.replica)
    }

    /// The identifiers of all conditions.
    public var identifiers: [String] { self.replica.identifiers }

    /// Adds a condition, in place of one that has the identifier; its state is not known at first.
    public func add(_ condition: any CLCondition, identifier: String) {
        self.replica.add(condition, identifier, .unknown)
    }

    /// Adds a condition, in place of one that has the identifier, and says what its state is taken to be.
    public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State) {
        self.replica.add(condition, identifier, state)
    }

    /// Removes a condition with its record.
    public func remove(_ identifier: String) { self.replica.remove(identifier) }

    /// The record of a condition; nil when there is none of that identifier.
    public func record(for identifier: String) -> Record? { self.replica.record(identifier) }

    /// A condition and the last that happened to it.
    public struct Record: Sendable {
        /// The condition that is watched.
        public let condition: any CLCondition
        /// The last event that was handled; before the first, the state the condition was added with.
        public let lastEvent: Event
    }
}

extension LocationClient {
    /// The one set of records of a name, which every monitor of that name in the process shares.
    func monitor(_ name: String) -> MonitorReplica {
        self.state.withLock { state in
            if let open = state.monitors[name] { return open }
            let replica = MonitorReplica()
            state.monitors[name] = replica
            return replica
        }
    }
}
