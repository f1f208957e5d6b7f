internal import WhereaboutsConditions
internal import WhereaboutsLocationEngine

/// Keys of several numbers that belong together.
extension PolicyKey {
    /// One number of several: its name, and the value it has and may be given, as the file has it.
    struct Entry<Numbers>: Sendable {
        let name: String
        let range: ClosedRange<Double>
        let value: @Sendable (Numbers) -> Double
        let set: @Sendable (inout Numbers, Double) -> Void

        fileprivate static func metres(_ name: String, _ path: any WritableKeyPath<Numbers, Int64> & Sendable) -> Self {
            Self(name: name, range: 0.001...1_000_000) {
                Double($0[keyPath: path]) / 1000
            } set: {
                $0[keyPath: path] = Int64(($1 * 1000).rounded())
            }
        }

        fileprivate static func seconds(
            _ name: String,
            _ path: any WritableKeyPath<Numbers, Duration> & Sendable
        ) -> Self {
            Self(name: name, range: 0.001...31_536_000) {
                $0[keyPath: path] / .seconds(1)
            } set: {
                $0[keyPath: path] = .milliseconds(Int64(($1 * 1000).rounded()))
            }
        }

        fileprivate static func whole<Whole: BinaryInteger & Sendable>(
            _ name: String,
            _ path: any WritableKeyPath<Numbers, Whole> & Sendable,
            upTo max: Double
        ) -> Self {
            Self(name: name, range: 1...max) {
                Double($0[keyPath: path])
            } set: {
                $0[keyPath: path] = Whole($1.rounded())
            }
        }
    }

    /// The numbers of a belief: chances in thousandths, metres, seconds, metres a second.
    static var beliefs: [Entry<BeliefPolicy>] {
        [
            .whole("entering", \.entering, upTo: 999), .whole("leaving", \.leaving, upTo: 999),
            .whole("single", \.single, upTo: 999), .whole("average", \.average, upTo: 999),
            .metres("unknownAccuracy", \.unknownAccuracy), .metres("accuracyFloor", \.accuracyFloor),
            .seconds("silencePeriod", \.silencePeriod), .seconds("agreementSpacing", \.agreementSpacing),
            .metres("movingSpeed", \.movingSpeed), .seconds("motionGapMax", \.motionGapMax),
            .metres("motionError", \.motionError), .metres("speedMax", \.speedMax), .seconds("ageMax", \.ageMax),
            .seconds("futureMax", \.futureMax),
        ]
    }

    /// The numbers of a look: metres a second, hundredths, seconds.
    static var looks: [Entry<LookPolicy>] {
        [
            .metres("plausibleSpeed", \.plausibleSpeed), .metres("walkingSpeed", \.walkingSpeed),
            .whole("acceleration", \.acceleration, upTo: 10_000), .seconds("latencyMax", \.latencyMax),
            .seconds("pauseMin", \.pauseMin), .seconds("stillPause", \.stillPause),
            .metres("stillSpeed", \.stillSpeed),
        ]
    }

    /// The numbers of an estimate: standard deviations, seconds, fixes, metres a second, metres a second in a second.
    static var estimates: [Entry<EstimatePolicy>] {
        [
            .whole("outlierSigmas", \.outlierSigmas, upTo: 1000), .seconds("outlierPatience", \.outlierPatience),
            .whole("outlierCountMin", \.outlierCountMin, upTo: 1000), .seconds("gapMax", \.gapMax),
            .metres("speedNoise", \.speedNoise), .metres("courseSpeedMin", \.courseSpeedMin),
            .metres("vehicleSpeed", \.vehicleSpeed), .metres("stillAcceleration", \.stillAcceleration),
            .metres("walkingAcceleration", \.walkingAcceleration),
            .metres("vehicleAcceleration", \.vehicleAcceleration),
        ]
    }

    /// The numbers of significant changes and visits: metres, seconds.
    static var travel: [Entry<TravelPolicy>] {
        [
            .metres("changeDistance", \.changeDistance), .seconds("changeInterval", \.changeInterval),
            .metres("stayRadius", \.stayRadius), .seconds("stayPeriod", \.stayPeriod), .seconds("pause", \.pause),
            .seconds("stayMemory", \.stayMemory),
        ]
    }

    /// The numbers of beacons: seconds, metres.
    static var beacons: [Entry<BeaconPolicy>] {
        [
            .seconds("exitPatience", \.exitPatience), .seconds("scannerSilence", \.scannerSilence),
            .seconds("reportInterval", \.reportInterval), .seconds("smoothing", \.smoothing),
            .seconds("memory", \.memory), .metres("immediateDistance", \.immediateDistance),
            .metres("nearDistance", \.nearDistance),
        ]
    }

    static func numbers<Numbers>(
        _ name: String,
        _ path: any WritableKeyPath<Policy, Numbers> & Sendable,
        _ entries: [Entry<Numbers>]
    ) -> PolicyKey {
        PolicyKey(
            name: name,
            rule: "all of its numbers",
            value: { policy in
                .object(
                    Dictionary(entries.map { ($0.name, $0.value(policy[keyPath: path])) }) { first, _ in first }
                )
            },
            set: { policy, value in
                guard case .object(let told) = value, told.count == entries.count else { return false }
                var numbers = policy[keyPath: path]
                for entry in entries {
                    guard let number = told[entry.name], entry.range.contains(number) else { return false }
                    entry.set(&numbers, number)
                }
                policy[keyPath: path] = numbers
                return true
            }
        )
    }
}
