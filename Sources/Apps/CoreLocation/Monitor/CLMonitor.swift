internal import Foundation
internal import Synchronization

/// Watches conditions of a name and tells when they begin or cease to be satisfied, also when the app did not run meanwhile.
///
/// The device keeps the conditions and the last events that were handled. Open your monitors at every launch, at once, and
/// await their events: if the device launches the app for an event and no monitor of the name is open within five seconds,
/// the condition is watched no more. An open monitor keeps its events until a loop awaits them.
///
/// The device watches circles, and beacons if it has a scanner; otherwise one event of a beacon's condition reports
/// ``Event/conditionUnsupported``.
public actor CLMonitor {
    private let replica: MonitorReplica

    /// The events of the conditions; one loop should read it for as long as the app runs.
    public let events: Events

    /// Opens the monitor with a name, or creates it, and waits until its conditions are known.
    ///
    /// The conditions are kept by the location service. While the service is being restarted, the initializer waits until it is
    /// back. If the task is cancelled, or the service refuses this process, the monitor has no conditions at first.
    ///
    /// Monitors that are open under one name share their conditions and events.
    ///
    /// - Parameter name: letters and digits, at least one.
    public init(_ name: String) async {
        self.init(name, client: .current())
        await self.replica.opened()
    }

    init(_ name: String, client: LocationClient) {
        if name.isEmpty || !name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }) {
            client.transport.refused("a monitor's name must be letters and digits, got \"\(name)\"")
        }
        self.replica = client.openMonitor(name)
        self.events = Events(replica: self.replica)
    }

    /// The identifiers of all conditions.
    public var identifiers: [String] { self.replica.identifiers }

    /// Adds a condition, in place of one that has the identifier; its state is not known at first.
    ///
    /// One that is watched already under the identifier goes on, with all that is known of it.
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
