internal import WhereaboutsLocationEngine

/// One of a device's own numbers: its name in the file, and what it may be.
struct PolicyKey: Sendable {
    /// A value of the file.
    enum Value: Decodable, CustomStringConvertible {
        case number(Double)
        case flag(Bool)
        case object([String: Double])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let number = try? container.decode(Double.self) {
                self = .number(number)
            } else {
                self = .object(try container.decode([String: Double].self))
            }
        }

        /// As JSON has it.
        var description: String {
            switch self {
            case .number(let number): PolicyKey.text(number)
            case .flag(let flag): "\(flag)"
            case .object(let entries):
                "{"
                    + entries.sorted { $0.key < $1.key }.map { "\"\($0)\": \(PolicyKey.text($1))" }
                    .joined(separator: ", ") + "}"
            }
        }
    }

    let name: String
    /// The values it may have, in words.
    let rule: String
    /// The value in a policy, as the file has it.
    let value: @Sendable (Policy) -> Value
    /// Takes a value over; false where the rule does not allow it.
    let set: @Sendable (inout Policy, Value) -> Bool

    private typealias Path<Number> = any WritableKeyPath<Policy, Number> & Sendable

    /// At most a year.
    private static let secondsRange = 0.001...31_536_000
    private static let metresRange = 1.0...1_000_000

    private static func seconds(_ name: String, _ path: Path<Duration>) -> PolicyKey {
        PolicyKey(
            name: name,
            rule: "\(self.text(self.secondsRange)) seconds",
            value: { .number(self.seconds($0[keyPath: path])) },
            set: { policy, value in
                guard case .number(let number) = value, self.secondsRange.contains(number) else { return false }
                policy[keyPath: path] = self.duration(number)
                return true
            }
        )
    }

    private static func count(_ name: String, _ path: Path<Int>) -> PolicyKey {
        let range = 1.0...1_000_000
        return PolicyKey(
            name: name,
            rule: "a whole number, \(self.text(range))",
            value: { .number(Double($0[keyPath: path])) },
            set: { policy, value in
                guard case .number(let number) = value, range.contains(number), let whole = Int(exactly: number) else {
                    return false
                }
                policy[keyPath: path] = whole
                return true
            }
        )
    }

    private static func metres(
        _ name: String,
        _ path: Path<Int32>,
        _ range: ClosedRange<Double> = Self.metresRange
    ) -> PolicyKey {
        PolicyKey(
            name: name,
            rule: "\(self.text(range)) metres",
            value: { .number(Double($0[keyPath: path]) / 1000) },
            set: { policy, value in
                guard case .number(let number) = value, range.contains(number) else { return false }
                policy[keyPath: path] = self.millimetres(number)
                return true
            }
        )
    }

    private static func flag(_ name: String, _ path: Path<Bool>) -> PolicyKey {
        PolicyKey(
            name: name,
            rule: "true or false",
            value: { .flag($0[keyPath: path]) },
            set: { policy, value in
                guard case .flag(let flag) = value else { return false }
                policy[keyPath: path] = flag
                return true
            }
        )
    }

    private static func stillness(_ name: String, _ path: Path<StationaryPause.Rule>) -> PolicyKey {
        PolicyKey(
            name: name,
            rule: "radius, \(self.text(self.metresRange)) metres, and period, \(self.text(self.secondsRange)) seconds",
            value: {
                let rule = $0[keyPath: path]
                return .object(["radius": Double(rule.radius) / 1000, "period": self.seconds(rule.period)])
            },
            set: { policy, value in
                guard case .object(let entries) = value, entries.count == 2, let radius = entries["radius"],
                    let period = entries["period"], self.metresRange.contains(radius),
                    self.secondsRange.contains(period)
                else { return false }
                policy[keyPath: path] = .init(radius: self.millimetres(radius), period: self.duration(period))
                return true
            }
        )
    }

    private static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

    private static func duration(_ seconds: Double) -> Duration { .milliseconds(Int64((seconds * 1000).rounded())) }

    private static func millimetres(_ metres: Double) -> Int32 { Int32((metres * 1000).rounded()) }

    private static func text(_ range: ClosedRange<Double>) -> String {
        "\(self.text(range.lowerBound)) to \(self.text(range.upperBound))"
    }

    /// Without `.0`, as people write it.
    private static func text(_ number: Double) -> String { Int(exactly: number).map { "\($0)" } ?? "\(number)" }
}

extension PolicyKey {
    /// All there are, in the order of ``LocationEngine/Policy``.
    static let all: [PolicyKey] = [
        .seconds("inUseGrace", \.inUseGrace),
        .seconds("retakeWindow", \.retakeWindow),
        .seconds("freshFixAge", \.freshFixAge),
        .seconds("acquisitionPatience", \.acquisitionPatience),
        .seconds("fixSilence", \.fixSilence),
        .seconds("accuracyPatience", \.accuracyPatience),
        .metres("unknownAccuracy", \.unknownAccuracy),
        .seconds("receiverLinger", \.receiverLinger),
        .seconds("stillRest", \.stillRest),
        .seconds("receiverClockTolerance", \.receiverClockTolerance),
        .numbers("estimates", \.estimates, Self.estimates),
        .count("pushBudgetCapacity", \.pushBudgetCapacity),
        .seconds("pushBudgetRefill", \.pushBudgetRefill),
        .count("pushBudgetReopening", \.pushBudgetReopening),
        .count("pushBudgetReserve", \.pushBudgetReserve),
        .seconds("pushDeferral", \.pushDeferral),
        .seconds("undatedPushLife", \.undatedPushLife),
        .seconds("pushLifeMax", \.pushLifeMax),
        .count("pushPayloadMax", \.pushPayloadMax),
        .seconds("extensionAllowance", \.extensionAllowance),
        .seconds("extensionWarning", \.extensionWarning),
        .seconds("extensionExit", \.extensionExit),
        .count("extensionFailuresMax", \.extensionFailuresMax),
        .seconds("extensionBackoff", \.extensionBackoff),
        .seconds("extensionBackoffMax", \.extensionBackoffMax),
        .count("pushesWaitingMax", \.pushesWaitingMax),
        .seconds("pushRegistrationPatience", \.pushRegistrationPatience),
        .flag("pushesWithoutSession", \.pushesWithoutSession),
        .seconds("backgroundRuntime", \.backgroundRuntime),
        .seconds("launchPatience", \.launchPatience),
        .seconds("relaunchPause", \.relaunchPause),
        .seconds("relaunchPauseMax", \.relaunchPauseMax),
        .flag("closingKeepsClaims", \.closingKeepsClaims),
        .seconds("liveActivityMax", \.liveActivityMax),
        .seconds("reducedInterval", \.reducedInterval),
        .seconds("reducedPlaceAge", \.reducedPlaceAge),
        // The farthest corner of a cell is 3.6 km away: less would not be true.
        .metres("reducedRadius", \.reducedRadius, 3600...1_000_000),
        .stillness("stillness", \.stillness),
        .stillness("automotiveStillness", \.automotiveStillness),
        .stillness("otherNavigationStillness", \.otherNavigationStillness),
        .stillness("fitnessStillness", \.fitnessStillness),
        .stillness("airborneStillness", \.airborneStillness),
        .seconds("departurePatience", \.departurePatience),
        .count("conditionsMax", \.conditionsMax),
        .count("conditionsKeptMax", \.conditionsKeptMax),
        .numbers("beliefs", \.beliefs, Self.beliefs),
        .numbers("looks", \.looks, Self.looks),
        .seconds("lookPatience", \.lookPatience),
        .numbers("travel", \.travel, Self.travel), .numbers("beacons", \.beacons, Self.beacons),
        .metres("conditionRadiusMax", \.conditionRadiusMax),
        .count("declarationsMax", \.declarationsMax),
    ]
}
