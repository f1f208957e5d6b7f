internal import Foundation
internal import Testing
internal import WhereaboutsConditions
internal import WhereaboutsGeodesy

/// The tables and the plot of `docs/conditions.md`.
enum FieldFigures {
    /// A log of a receiver that stayed where it was.
    struct StillLog: Sendable, CustomTestStringConvertible {
        let name: String
        /// Its true place, if the log's header says it; otherwise the middle of its fixes stands for it.
        let place: QuantizedCoordinate?
        var testDescription: String { self.name }
    }

    static let stillLogs = [
        // A PinePhone; the position is the header's.
        StillLog(name: "quectel-eg25-g", place: QuantizedCoordinate(latitude: 367_638_040, longitude: 314_108_763)),
        // Carried 5 m west and 10 m south and back.
        StillLog(name: "haicom-305N", place: nil),
    ]

    static let tracks = ["korita-zbevnica", "around-visnjan-with-car"]

    static func mean(_ values: [Double]) -> Double { values.reduce(0, +) / Double(max(values.count, 1)) }

    /// The false events on a log, with fences whose boundary is 100 and 50 m away.
    static func counts(_ log: StillLog) throws -> [Rule: StillStudy.Count] {
        let observations = try Recordings.log(log.name)
        let latitudes = observations.map(\.point.latitude).sorted()
        let longitudes = observations.map(\.point.longitude).sorted()
        let middle = QuantizedCoordinate(
            latitude: Int(latitudes[latitudes.count / 2]),
            longitude: Int(longitudes[longitudes.count / 2])
        )
        return StillStudy.count(observations, at: log.place ?? middle, margins: [100, 50, -50])
    }

    static func write() throws {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        let page = root.appending(path: "docs/conditions.md")
        var text = try String(contentsOf: page, encoding: .utf8)
        var dots: [Plot.Dot] = []
        for kind in ModelReceiver.Kind.allCases {
            let columns = [1, 10].map { ReceiverFigures(kind, every: $0) }
            try Self.replace(kind.rawValue, with: Self.receiverTable(columns), in: &text)
            dots += columns.flatMap(\.dots)
        }
        try Self.replace("recordings", with: Self.recordingTable(), in: &text)
        try Self.replace("arrivals", with: Self.arrivalTable, in: &text)
        try Self.replace("curve", with: Self.curveTable, in: &text)
        try Self.replace("looks", with: Self.lookTable, in: &text)
        try text.write(to: page, atomically: true, encoding: .utf8)
        try Self.writeEstimates(to: root.appending(path: "docs/receivers.md"))
        try Plot(dots: Plot.means(of: dots)).svg.write(
            to: root.appending(path: "docs/conditions.svg"),
            atomically: true,
            encoding: .utf8
        )
    }

    static func table(_ head: [String], _ rows: [[String]]) -> String {
        let lines = [head, head.map { _ in "---" }] + rows
        return lines.map { "| " + $0.joined(separator: " | ") + " |" }.joined(separator: "\n")
    }

    static func replace(_ name: String, with table: String, in text: inout String) throws {
        let begin = try #require(text.range(of: "<!-- \(name): begin -->\n"), "no table \(name)")
        let end = try #require(text.range(of: "\n<!-- \(name): end -->"), "no end of the table \(name)")
        text.replaceSubrange(begin.upperBound..<end.lowerBound, with: table)
    }
}

/// All figures of one receiver at one rate.
struct ReceiverFigures {
    let interval: Int
    let still: [Rule: StillStudy.Count]
    let walk: [Rule: MovingStudy.Delays]
    let drive: [Rule: MovingStudy.Delays]
    let arrivals: [Rule: ArrivalStudy.Outcome]

    init(_ kind: ModelReceiver.Kind, every interval: Int) {
        self.interval = interval
        // As many fixes at either rate.
        self.still = StillStudy.model(kind.noise, every: Double(interval), days: 6 * Double(interval))
        self.walk = MovingStudy.delays(.straight("walk", speed: 1.4), kind, interval: interval, every: 428)
        self.drive = MovingStudy.delays(.straight("car", speed: 14), kind, interval: interval, every: 43)
        var arrivals: [Rule: ArrivalStudy.Outcome] = [:]
        for rule in Rule.allCases {
            arrivals[rule] = ArrivalStudy.run(kind.noise, every: Double(interval), radius: 100, rule: rule)
        }
        self.arrivals = arrivals
    }

    var dots: [Plot.Dot] {
        Rule.allCases.map { rule in
            let delays = self.arrivals[rule]?.delays.map { min($0, 900) } ?? []
            return Plot.Dot(
                name: rule.rawValue,
                seconds: FieldFigures.mean(delays),
                events: self.still[rule]?.perMonth ?? 0
            )
        }
    }
}

extension FieldFigures {
    /// A receiver's table: a rule a row, both rates in each cell.
    static func receiverTable(_ columns: [ReceiverFigures]) -> String {
        let rows = Rule.allCases.map { rule in
            [
                rule.rawValue,
                columns.map { String(format: "%.1f", $0.still[rule]?.perMonth ?? 0) }.joined(separator: " · "),
                columns.map { Self.words($0.walk[rule]) }.joined(separator: " · "),
                columns.map { Self.words($0.drive[rule]) }.joined(separator: " · "),
                columns.map { "\(Int(100 * ($0.arrivals[rule]?.share(within: 300) ?? 0))) %" }.joined(separator: " · "),
            ]
        }
        let head = ["rule", "false events a month", "delay on a walk", "delay on a drive", "arrivals told in 5 min"]
        return Self.table(head, rows)
    }

    /// A mean delay, and how many crossings had no event or one too many.
    private static func words(_ delays: MovingStudy.Delays?) -> String {
        guard let delays, !delays.seconds.isEmpty else { return "none told" }
        let spoilt = delays.missed + delays.excess > 0 ? " (−\(delays.missed) +\(delays.excess))" : ""
        return String(format: "%.0f s", Self.mean(delays.seconds)) + spoilt
    }

    /// The recorded tracks and logs.
    static func recordingTable() throws -> String {
        guard Recordings.isPresent else { return "not written: no recordings" }
        let moving = try Self.tracks.map { name in
            let track = try Recordings.track(name)
            return MovingStudy.delays(track, .openSky, every: max(60, track.seconds.count / 12))
        }
        let still = try Self.stillLogs.map(Self.counts)
        let rows = Rule.allCases.map { rule in
            [rule.rawValue] + moving.map { Self.words($0[rule]) } + still.map { "\($0[rule]?.events ?? 0)" }
        }
        return Self.table(["rule"] + (Self.tracks + Self.stillLogs.map(\.name)).map { "`\($0)`" }, rows)
    }

    private static let sweep = [5.0, 10, 20, 30, 40, 50, 65, 80, 100]

    /// Arrivals by accuracy and radius: median and worst of 100, with independent errors and with wandering ones.
    static var arrivalTable: String {
        let rows = Self.sweep.map { accuracy -> [String] in
            ["±\(Int(accuracy)) m"]
                + [100.0, 150, 200, 500].map { radius in
                    let families = [ModelReceiver.Noise.independent(accuracy), .wandering(accuracy)]
                    return families.map { Self.minutes(ArrivalStudy.run($0, every: 1, radius: radius)) }
                        .joined(separator: " · ")
                }
                + [
                    [ModelReceiver.Noise.independent(accuracy), .wandering(accuracy)].map { noise in
                        let counts = StillStudy.model(noise, every: 10, days: 30, rules: [.belief])
                        return String(format: "%.1f", counts[.belief]?.perMonth ?? 0)
                    }.joined(separator: " · ")
                ]
        }
        let head = ["accuracy", "100 m", "150 m", "200 m", "500 m", "false events a month, 100 m"]
        return Self.table(head, rows)
    }

    private static func minutes(_ outcome: ArrivalStudy.Outcome) -> String {
        let worst = outcome.worst.isFinite ? String(format: "%.0f", outcome.worst / 60) : "never"
        let median = outcome.median.isFinite ? String(format: "%.1f", outcome.median / 60) : "never"
        return "\(median) / \(worst)"
    }

    /// The price of another certainty of the average, for ±65 m of wandering errors and a radius of 100 m.
    static var curveTable: String {
        let rows = [900, 950, 975, 990, 999].map { level -> [String] in
            var policy = BeliefPolicy()
            policy.average = level
            let noise = ModelReceiver.Noise.wandering(65)
            let arrivals = ArrivalStudy.run(noise, every: 1, radius: 100, policy: policy)
            let still = StillStudy.model(noise, every: 10, days: 60, rules: [.belief], policy: policy)
            return [
                "\(level)" + (level == BeliefPolicy().average ? " (default)" : ""), Self.minutes(arrivals),
                "\(Int(100 * arrivals.share(within: 300))) %", String(format: "%.1f", still[.belief]?.perMonth ?? 0),
            ]
        }
        let head = ["`average`", "arrival, minutes: median / worst", "told in 5 min", "false events a month"]
        return Self.table(head, rows)
    }

    /// The receiver's time and the latency of events, scene by scene.
    static var lookTable: String {
        let rows = LookStudy.scenes.map { scene in
            let outcome = LookStudy.run(scene)
            let latency =
                outcome.latencies.isEmpty
                ? "no event"
                : String(format: "%.0f s; at most %.0f s", self.mean(outcome.latencies), outcome.latencies.max() ?? 0)
            return [
                scene.name,
                String(
                    format: "%.1f %%, %d of %d min",
                    outcome.share * 100,
                    outcome.secondsOn / 60,
                    outcome.seconds / 60
                ),
                latency,
            ]
        }
        return self.table(["scene", "receiver on", "events after"], rows)
    }
}
