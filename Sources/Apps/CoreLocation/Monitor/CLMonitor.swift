internal import Foundation

/// An object that monitors conditions and delivers an event when the state of one changes.
///
/// A condition is satisfied while the device is inside a circle (``CircularGeographicCondition``) or near a beacon
/// (``BeaconIdentityCondition``). Add conditions under identifiers of your choice, and await ``events`` in one task
/// for as long as the app runs:
///
/// ```swift
/// let monitor = await CLMonitor("places")
/// await monitor.add(CLMonitor.CircularGeographicCondition(center: home, radius: 200), identifier: "home")
/// for try await event in monitor.events {
///     print(event.identifier, event.state == .satisfied)
/// }
/// ```
///
/// The device keeps the conditions and the last events that were handled, over launches of the app and restarts of
/// the device. An app with Always authorization that holds a ``CLServiceSession`` for it is launched for an event.
/// Open your monitors at each launch at once, and await their events: if the device launches the app for an event and
/// no monitor of the name is open within five seconds, the condition is no longer monitored. An open monitor keeps
/// its events until a loop awaits them.
///
/// An app can monitor 20 circles and 20 beacons, its regions included; ``Event/conditionLimitExceeded`` reports a
/// further one. Reading the events asks the person for permission to use the location while the app is in use, unless
/// the Info.plist contains `NSLocationRequireExplicitServiceSession`; its `NSLocationWhenInUseUsageDescription` is
/// required.
public actor CLMonitor {
    private let replica: MonitorReplica

    /// The events of the conditions.
    ///
    /// Read the sequence in one loop for as long as the app runs. Two loops share the events between them.
    public let events: Events

    /// Opens the monitor with a name, or creates it, and waits until its conditions are known.
    ///
    /// The conditions are kept by the location service. While the service is being restarted, the initializer waits
    /// until it is back. If the task is cancelled, or the service refuses this process, the monitor has no conditions
    /// at first.
    ///
    /// Monitors that are open under one name share their conditions and events.
    ///
    /// - Parameter name: at least one ASCII letter or digit, and no other characters; otherwise the app ends, as on
    ///   Apple's devices.
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

    /// The identifiers of all conditions, whether they are monitored at present or not.
    public var identifiers: [String] { self.replica.identifiers }

    /// Adds a condition whose state is unknown at first.
    ///
    /// If the same condition is monitored under the identifier, nothing changes, so that an app can add its
    /// conditions at each launch. A different condition under the identifier is replaced, with its record.
    ///
    /// - Parameters:
    ///   - condition: the condition.
    ///   - identifier: a name for the condition, unique in the monitor; at most 255 bytes.
    public func add(_ condition: any CLCondition, identifier: String) {
        self.replica.add(condition, identifier, .unknown)
    }

    /// Adds a condition and assumes its state.
    ///
    /// There is no event while the condition is in the assumed state. If the assumption is wrong, an event corrects
    /// it. If the same condition is monitored under the identifier, nothing changes.
    ///
    /// - Parameters:
    ///   - condition: the condition.
    ///   - identifier: a name for the condition, unique in the monitor; at most 255 bytes.
    ///   - state: the assumed state. `.unmonitored` counts as `.unknown`.
    public func add(_ condition: any CLCondition, identifier: String, assuming state: Event.State) {
        self.replica.add(condition, identifier, state)
    }

    /// Stops monitoring a condition, and removes its record.
    public func remove(_ identifier: String) { self.replica.remove(identifier) }

    /// Returns the record of a condition, or `nil` if there is no condition with the identifier.
    public func record(for identifier: String) -> Record? { self.replica.record(identifier) }

    /// A condition and its last event.
    public struct Record: Sendable {
        /// The condition.
        public let condition: any CLCondition
        /// The last event that the app handled, or the state that the condition was added with.
        ///
        /// An event is handled when the loop asks for the next one. While the loop works on an event, this property
        /// is still the one before.
        public let lastEvent: Event
    }
}
