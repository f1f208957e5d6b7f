internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Tests for beacon conditions: every state with every input.
@Suite struct BeaconWatchMatrixTests {
    enum Start: CaseIterable {
        case empty, undecided, near, away

        /// Condition 1 matches all beacons of an owner; the scanner has listened since second 0.
        var watch: BeaconWatch {
            var watch = BeaconWatch(policy: BeaconPolicy())
            _ = watch.scanned(nil, now: moment(0))
            switch self {
            case .empty: break
            case .undecided: watch.begin(1, identity, of: BundleID("a"), believing: .unknown)
            case .near: watch.begin(1, identity, of: BundleID("a"), believing: .satisfied)
            case .away: watch.begin(1, identity, of: BundleID("a"), believing: .unsatisfied)
            }
            return watch
        }
    }

    enum Input: CaseIterable {
        case received, otherReceived, listened, listenedShortly, hung, begun, ended, strangerEnded

        func apply(to watch: inout BeaconWatch) -> [ConditionWatch.Decision] {
            switch self {
            case .received: return watch.scanned(advertisement(of: beacon), now: moment(1))
            case .otherReceived:
                return watch.scanned(advertisement(of: Beacon(uuid: owner(2), major: 1, minor: 1)), now: moment(1))
            case .listened: return stride(from: 5, through: 30, by: 5).flatMap { watch.scanned(nil, now: moment($0)) }
            case .listenedShortly:
                return stride(from: 5, through: 25, by: 5).flatMap { watch.scanned(nil, now: moment($0)) }
            // The scanner was off in between, so the beacon may have been there.
            case .hung: return watch.scanned(nil, now: moment(1000))
            case .begun:
                watch.begin(2, BeaconIdentity(uuid: owner(1), major: 1), of: BundleID("b"), believing: .unsatisfied)
                return watch.scanned(advertisement(of: beacon), now: moment(1))
            case .ended:
                watch.end(1)
                return watch.scanned(advertisement(of: beacon), now: moment(1))
            case .strangerEnded:
                watch.end(9)
                return watch.scanned(advertisement(of: beacon), now: moment(1))
            }
        }
    }

    /// The events that the inputs cause: `s` for satisfied, `u` for unsatisfied.
    private static let table = OutcomeTable<Start, Input>(
        """
                         empty     undecided  near      away
        received         -, empty  1s         -         1s
        otherReceived    -, empty  -          -         -
        listened         -, empty  1u         1u        -
        listenedShortly  -, empty  1u         -         -
        hung             -, empty  -          -         -
        begun            2s        1s 2s      2s        1s 2s
        ended            -, empty  -, empty   -, empty  -, empty
        strangerEnded    -, empty  1s         -         1s
        """
    )

    @Test(arguments: Start.allCases, Input.allCases)
    func matrix(_ start: Start, _ input: Input) throws {
        var watch = start.watch
        let decisions = input.apply(to: &watch)
        let words = decisions.map { "\($0.number)\($0.finding.state == .satisfied ? "s" : "u")" }
        let outcome = (words.isEmpty ? "-" : words.joined(separator: " ")) + (watch.isEmpty ? ", empty" : "")
        #expect(try outcome == Self.table[start, input])
        for decision in decisions {
            let isEntry = decision.finding.state == .satisfied
            #expect(decision.finding.time == moment(isEntry ? 1 : start == .undecided ? 5 : 30).wall)
            // If several beacons match, the app learns which one it was.
            #expect(decision.finding.refinement == (isEntry ? beacon : nil))
            #expect(decision.bundle == BundleID(decision.number == 1 ? "a" : "b"))
        }
    }
}

private let identity = BeaconIdentity(uuid: owner(1))
private let beacon = Beacon(uuid: owner(1), major: 1, minor: 1)

private func owner(_ number: UInt64) -> Beacon.OwnerID { Beacon.OwnerID(high: 0, low: number) }

private func advertisement(of beacon: Beacon) -> Advertisement {
    Advertisement(beacon: beacon, rssi: -60, measuredPower: -59)
}

private func moment(_ seconds: Int) -> Now {
    Now(monotonic: second(seconds), wall: WallTime(seconds: 43_200 + Int64(seconds)))
}
