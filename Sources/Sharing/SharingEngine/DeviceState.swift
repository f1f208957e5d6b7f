package import WhereaboutsVocabulary

/// The state of a profile's device: its ID on the server, when it was chosen to answer, and whether the person removed it.
///
/// ```
///            chosen, or registered for the first time
///  (none) ───────────────────────────────────────────▶ registered ──── the server says: removed ───▶ removed
///                                                        ▲    ▲ chosen │                                │
///                                                        │    └────────┘                                │
///                                                        └────────── chosen: as another device ─────────┘
/// ```
///
/// A removed device sends the server nothing and answers nothing, until the person chooses it again on the device itself
/// (ADR 0083). It stores its removal: even if a restored server has forgotten the removal, the device answers no requests.
package struct DeviceState: Sendable, Hashable {
    /// Identifies the device among those of the person.
    package let id: DeviceID
    /// When the person chose the device to answer; the first registration counts as a choice.
    package private(set) var chosen: WallTime
    /// Whether the server reported the device's removal.
    package private(set) var isRemoved: Bool

    /// Restores a stored device, or creates one with a new ID.
    package init(id: DeviceID, chosen: WallTime, isRemoved: Bool = false) {
        self.id = id
        self.chosen = chosen.wholeMilliseconds
        self.isRemoved = isRemoved
    }

    /// Creates a device that registers for the first time, which counts as choosing it.
    ///
    /// - Parameters:
    ///   - id: a new name.
    ///   - others: when the person chose their other devices, as the server has it.
    ///   - now: the time.
    package init(first id: DeviceID, after others: [WallTime], now: WallTime) {
        // If a wrong clock dated another choice a month ahead, this device would not be asked for a month.
        self.init(id: id, chosen: Registration.time(after: others.max(), now: now))
    }

    /// Actions returned by ``registrationDue()``.
    package enum OnRegistrationDue: Sendable, Hashable {
        /// Register the device.
        case tell
        /// Do not register, and show the person that the device was removed.
        case stayRemoved
    }

    /// Decides whether the server is notified of the device.
    package func registrationDue() -> OnRegistrationDue { self.isRemoved ? .stayRemoved : .tell }

    /// Records the server's report of the removal, which is stored before anything else.
    package mutating func removed() { self.isRemoved = true }

    /// Actions returned by ``chosen(after:now:)``.
    package enum OnChosen: Sendable, Hashable {
        /// Store the state, and register; if the server reports the removal, call ``DeviceState/removed()`` and choose
        /// again.
        case tell
        /// Draw another ID and key, chosen at this time, and register that device.
        case makeAnother(chosen: WallTime)
    }

    /// Records that the person chose the device, on the device itself.
    ///
    /// - Parameters:
    ///   - others: when they chose the other devices, as the server has it.
    ///   - now: the time.
    /// - Returns: which device to register.
    package mutating func chosen(after others: [WallTime], now: WallTime) -> OnChosen {
        // Later than each other choice, even if the clock of another device was ahead.
        let time = Registration.time(after: (others + [self.chosen]).max(), now: now)
        guard !self.isRemoved else { return .makeAnother(chosen: time) }
        self.chosen = time
        return .tell
    }
}

extension DeviceRemoval {
    /// Whether the removal of a device would leave the person without one.
    ///
    /// - Parameters:
    ///   - device: the device to be removed.
    ///   - all: the person's devices, as the server has them.
    /// - Returns: whether it is the last one.
    package static func leavesNone(_ device: DeviceID, of all: [DeviceID]) -> Bool {
        all.contains(device) && !all.contains { $0 != device }
    }
}
