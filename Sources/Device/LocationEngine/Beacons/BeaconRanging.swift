internal import OrderedCollections
internal import WhereaboutsVocabulary

/// The beacons in range, for the apps that range: a survey once a second.
///
/// Only beacons that an app asked for are kept, ``beaconsMax`` of them: an attacker who sends thousands of identities
/// hides no known beacon, and adds none to the reports.
struct BeaconRanging: Sendable, Hashable {
    /// The maximum number of beacons that are stored.
    ///
    /// A packet to an app has no room for many more: 256 beacons are 12 KiB.
    static let beaconsMax = 256

    /// The newest survey; nil: no app ranges, or there is no scanner.
    private(set) var survey: BeaconSurvey?
    private var wanted: Set<BeaconIdentity> = []
    private var signals: OrderedDictionary<Beacon, BeaconSignal> = [:]
    private var nextReport: EngineInstant?
    private let policy: BeaconPolicy

    init(policy: BeaconPolicy) {
        self.policy = policy
    }

    /// The instant to call ``deadlineReached(isListening:now:)`` at.
    var deadline: EngineInstant? { self.nextReport }

    /// Records which beacons apps range.
    mutating func wanted(_ identities: Set<BeaconIdentity>, now: EngineInstant) {
        guard identities != self.wanted else { return }
        self.wanted = identities
        self.signals.removeAll { beacon, _ in !beacon.identities.contains { identities.contains($0) } }
        if identities.isEmpty {
            self.survey = nil
            self.nextReport = nil
        } else if self.nextReport == nil {
            self.nextReport = now.advanced(by: self.policy.reportInterval)
        }
    }

    /// Records that the scanner listens again: the earlier survey is out of date.
    mutating func listeningBegan() {
        self.survey = nil
        self.signals = [:]
    }

    /// Records a reception; ignored when no app asked for the beacon.
    mutating func received(_ advertisement: Advertisement, now: Now) {
        guard !self.wanted.isEmpty, self.isWanted(advertisement.beacon) else { return }
        if self.signals[advertisement.beacon] != nil {
            self.signals[advertisement.beacon]?.received(advertisement, now: now)
        } else if self.signals.count < Self.beaconsMax {
            self.signals[advertisement.beacon] = BeaconSignal(advertisement, now: now)
        }
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    ///
    /// - Parameters:
    ///   - isListening: whether the scanner is known to work.
    ///   - now: the time.
    mutating func deadlineReached(isListening: Bool, now: EngineInstant) {
        guard let due = self.nextReport, now >= due else { return }
        // After a suspend there is one report, not one for each missed second.
        self.nextReport = now.advanced(by: self.policy.reportInterval)
        self.survey = isListening ? self.makeSurvey(now) : nil
        if !isListening { self.signals = [:] }
    }

    private mutating func makeSurvey(_ now: EngineInstant) -> BeaconSurvey {
        let policy = self.policy
        self.signals.removeAll { $1.isForgotten(policy, now: now) }
        var beacons: [RangedBeacon] = []
        for beacon in self.signals.keys {
            if let report = self.signals[beacon]?.report(of: beacon, self.policy, now: now) { beacons.append(report) }
        }
        // Beacons at the same distance keep the order of their first reception: the sort is stable.
        beacons.sort { ($0.distance ?? .max) < ($1.distance ?? .max) }
        return BeaconSurvey(beacons: beacons, arrival: now)
    }

    private func isWanted(_ beacon: Beacon) -> Bool { beacon.identities.contains { self.wanted.contains($0) } }
}
