internal import WhereaboutsVocabulary

/// Limits the pushes that the gateway may deliver: each is a file, and endless pushes would fill the disk and keep the
/// apps waiting.
///
/// ```
///             burst used up             half of it is back
///   flowing ────────────────▶ held(until) ────────────────▶ flowing
/// ```
/// While the flow is held, the host does not read from the gateway. Pushes that were already read are accepted up to a
/// second burst; further ones are left to the gateway, which sends unacknowledged pushes again on its next connection.
struct PushFlow: Sendable, Hashable {
    enum State: Sendable, Hashable {
        /// Pushes are read as they arrive.
        case flowing
        /// No pushes are read until this instant.
        case held(until: EngineInstant)
    }

    /// The maximum number of pushes at once: all that may wait for a device of 256 apps when it reconnects.
    static let burstMax = 256
    /// The interval of further pushes, far above a day's budget of 360.
    static let interval = Duration.milliseconds(250)

    private(set) var state = State.flowing
    /// The instant at which the whole burst is available again.
    private var settled = EngineInstant(sinceStart: .zero)

    var deadline: EngineInstant? { if case .held(let until) = self.state { until } else { nil } }

    /// Actions returned by ``arrived(now:)``.
    enum OnPush: Sendable, Hashable {
        case take
        /// Accept the push, and stop reading.
        case takeAndHold
        /// Leave the push to the gateway.
        case leave
    }

    /// Records that the gateway delivered a push.
    mutating func arrived(now: EngineInstant) -> OnPush {
        let owed = max(.zero, now.duration(to: self.settled)) + Self.interval
        let burst = Self.interval * Self.burstMax
        guard owed <= burst * 2 else { return .leave }
        self.settled = now.advanced(by: owed)
        switch self.state {
        case .flowing where owed >= burst:
            self.state = .held(until: now.advanced(by: owed - burst / 2))
            return .takeAndHold
        case .flowing: return .take
        case .held:
            self.state = .held(until: now.advanced(by: owed - burst / 2))
            return .take
        }
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    mutating func deadlineReached(now: EngineInstant) {
        if case .held(let until) = self.state, now >= until { self.state = .flowing }
    }
}

extension DeviceCore {
    /// Whether the host must read from the gateway; it checks after every event.
    public var readsGateway: Bool { self.flow.state == .flowing }
}
