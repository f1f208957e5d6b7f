internal import OrderedCollections
internal import WhereaboutsVocabulary

/// The conditions on beacons of all apps that the device watches.
///
/// The scanner is on while there is a condition. No timer decides: each report of a listening scanner checks whether
/// the device has left (``ListeningTime``), so a scanner that hangs or is gone reports no exit.
struct BeaconWatch: Sendable, Hashable {
    private struct Watched: Sendable, Hashable {
        var identity: BeaconIdentity
        var bundle: BundleID
        var presence: BeaconPresence
    }

    private var watched: OrderedDictionary<UInt64, Watched> = [:]
    /// The conditions on the same beacons, in the order they began.
    private var numbers: [BeaconIdentity: [UInt64]] = [:]
    private var listening = ListeningTime()
    /// No exit can be decided before this time.
    private var nextExit: Duration?
    private let policy: BeaconPolicy

    init(policy: BeaconPolicy) {
        self.policy = policy
    }

    var isEmpty: Bool { self.watched.isEmpty }

    // MARK: Inputs

    /// Starts to watch a condition from its known state.
    mutating func begin(
        _ number: UInt64,
        _ identity: BeaconIdentity,
        of bundle: BundleID,
        believing state: ConditionState
    ) {
        let presence = BeaconPresence(believing: state, at: self.listening.value)
        self.watched[number] = Watched(identity: identity, bundle: bundle, presence: presence)
        self.numbers[identity, default: []].append(number)
        self.expect(presence)
    }

    /// Ends watching a condition; ignored when it is not watched.
    mutating func end(_ number: UInt64) {
        guard let gone = self.watched.removeValue(forKey: number) else { return }
        self.numbers[gone.identity]?.removeAll { $0 == number }
        if self.numbers[gone.identity]?.isEmpty == true { self.numbers[gone.identity] = nil }
    }

    /// Records a report of the scanner: a reception, or nil if the scanner listens and received nothing.
    ///
    /// - Returns: the crossings, in the order that the conditions were added.
    mutating func scanned(_ advertisement: Advertisement?, now: Now) -> [ConditionWatch.Decision] {
        self.listening.reported(now: now.monotonic, silenceMax: self.policy.scannerSilence)
        if self.isEmpty { return [] }
        let entries = advertisement.map { self.entries($0.beacon, now) } ?? []
        return (entries + self.exits(now)).sorted { $0.number < $1.number }
    }

    private mutating func entries(_ beacon: Beacon, _ now: Now) -> [ConditionWatch.Decision] {
        var decisions: [ConditionWatch.Decision] = []
        for number in beacon.identities.flatMap({ self.numbers[$0] ?? [] }) {
            guard case .enter? = self.watched[number]?.presence.received(at: self.listening.value),
                let watched = self.watched[number]
            else { continue }
            self.expect(watched.presence)
            let finding = ConditionRecord.Finding(
                state: .satisfied,
                time: now.wall,
                refinement: watched.identity.isOpen ? beacon : nil
            )
            decisions.append(ConditionWatch.Decision(bundle: watched.bundle, number: number, finding: finding))
        }
        return decisions
    }

    private mutating func exits(_ now: Now) -> [ConditionWatch.Decision] {
        guard let due = self.nextExit, self.listening.value >= due else { return [] }
        self.nextExit = nil
        var decisions: [ConditionWatch.Decision] = []
        for (index, number) in self.watched.keys.enumerated() {
            if case .leave = self.watched.values[index].presence.silenceLasted(until: self.listening.value, self.policy)
            {
                let finding = ConditionRecord.Finding(state: .unsatisfied, time: now.wall)
                let bundle = self.watched.values[index].bundle
                decisions.append(ConditionWatch.Decision(bundle: bundle, number: number, finding: finding))
            }
            self.expect(self.watched.values[index].presence)
        }
        return decisions
    }

    /// Schedules the next exit.
    private mutating func expect(_ presence: BeaconPresence) {
        guard let deadline = presence.deadline(self.policy) else { return }
        self.nextExit = min(self.nextExit ?? deadline, deadline)
    }
}
