import WhereaboutsSharingEngine
import WhereaboutsVocabulary

/// The means of one policy in one setting.
struct CityRow: Codable {
    var policy: String
    var setting: Setting
    /// The share of incidents with a responder on scene within 3, 6 and 9 minutes.
    var within3 = 0.0
    var within6 = 0.0
    var within9 = 0.0
    /// The responders on scene within 9 minutes, for each incident.
    var responders9 = 0.0
    var alerts = 0.0
    /// The arrivals beyond the needed responders, within half an hour.
    var redundant = 0.0
    /// The people whose position the server or the dispatcher learned.
    var disclosed = 0.0

    static let densities = [0.5, 2, 8, 32]
    static let acceptances = [0.01, 0.05, 0.25]

    /// All policies in all settings.
    static func all(seed: UInt64, incidents: Int) -> [CityRow] {
        var rows: [CityRow] = []
        for acceptance in self.acceptances {
            for density in self.densities {
                let setting = Setting(density: density, acceptance: acceptance)
                rows += self.rows(setting, seed: seed, incidents: incidents)
            }
        }
        return rows
    }

    static func policies(_ world: CityWorld, seed: UInt64) -> [any AlertPolicy] {
        var wide = DispatchPolicy()
        for phase in wide.phases.indices { wide.phases[phase].open *= 3 }
        var first = DispatchPolicy()
        first.choice = .zero
        return [
            Waves("all", sizes: [.max], pause: .zero, in: world),
            Waves("7 nearest", sizes: [7], pause: .zero, in: world),
            Waves("phased 7 / 30 s", sizes: Array(repeating: 7, count: 20), pause: .seconds(30), in: world),
            Waves("phased 20, all", sizes: [20, .max], pause: .seconds(60), in: world),
            Shipped("ours", in: world, seed: seed),
            Shipped("ours, first come", policy: first, in: world, seed: seed),
            Shipped("ours, 3 x wider", policy: wide, in: world, seed: seed),
        ]
    }

    private static func rows(_ setting: Setting, seed: UInt64, incidents: Int) -> [CityRow] {
        var rows: [CityRow] = []
        for number in 0..<incidents {
            var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
            let world = CityWorld(setting, using: &random)
            for (place, policy) in self.policies(world, seed: random.next()).enumerated() {
                if place == rows.count { rows.append(CityRow(policy: policy.name, setting: setting)) }
                rows[place].add(world.play(policy), of: incidents)
            }
        }
        return rows
    }

    private mutating func add(_ outcome: Outcome, of incidents: Int) {
        let share = 1 / Double(incidents)
        let first = outcome.arrivals.first ?? .seconds(100_000)
        self.within3 += first <= .seconds(180) ? share : 0
        self.within6 += first <= .seconds(360) ? share : 0
        self.within9 += first <= .seconds(540) ? share : 0
        self.responders9 += Double(outcome.arrivals.count { $0 <= .seconds(540) }) * share
        self.alerts += Double(outcome.alerts) * share
        self.redundant += Double(max(0, outcome.arrivals.count { $0 <= .seconds(1800) } - CityWorld.needed)) * share
        self.disclosed += Double(outcome.disclosed) * share
    }

    static func table(_ rows: [CityRow]) -> String {
        let head = "accept  per km2  policy            <=3min <=6min <=9min  people<=9  alerts  redundant  disclosed"
        return
            ([head]
            + rows.map { row in
                let cells: [(Double, Int, Int)] = [
                    (row.within3 * 100, 6, 1), (row.within6 * 100, 6, 1), (row.within9 * 100, 6, 1),
                    (row.responders9, 10, 2),
                    (row.alerts, 7, 1), (row.redundant, 10, 2), (row.disclosed, 10, 1),
                ]
                let left =
                    self.padded(row.setting.acceptance * 100, 5, 0) + "%" + self.padded(row.setting.density, 9, 1)
                    + "  "
                let name = row.policy + String(repeating: " ", count: max(0, 17 - row.policy.count))
                return left + name + cells.map { self.padded($0.0, $0.1, $0.2) }.joined(separator: " ")
            }).joined(separator: "\n")
    }

    /// A number with fixed digits, right-aligned.
    static func padded(_ value: Double, _ width: Int, _ digits: Int) -> String {
        let scale = digits == 0 ? 1 : digits == 1 ? 10 : 100
        let scaled = Int((value * Double(scale)).rounded())
        let rest = String(scaled % scale)
        let text =
            digits == 0 ? "\(scaled)" : "\(scaled / scale)." + String(repeating: "0", count: digits - rest.count) + rest
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
