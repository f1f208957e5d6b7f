internal import Foundation
internal import Testing
internal import WhereaboutsGeodesy

/// The tables and the plot of `docs/conditions.md`.
enum FieldFigures {
    /// A log of a receiver that stayed where it was.
    struct StillLog: Sendable, CustomTestStringConvertible {
        let name: String
        /// Its true place, if the log's header says it; else the middle of its fixes stands for it.
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
        let days = 30
        let still = ModelReceiver.Kind.allCases.map {
            ($0.rawValue, StillStudy.model($0, days: days, margins: StillStudy.margins))
        }
        let edge = StillStudy.model(.openSky, days: days, margins: StillStudy.onTheEdge)
        let logs = try Recordings.isPresent ? Self.stillLogs.map { ($0.name, try Self.counts($0)) } : []
        var stillRows: [[String]] = []
        for rule in Rule.allCases {
            var row = [rule.rawValue]
            for (_, counts) in still + [("", edge)] { row.append(String(format: "%.2f", counts[rule]?.perDay ?? 0)) }
            for (_, counts) in logs { row.append("\(counts[rule]?.events ?? 0)") }
            stillRows.append(row)
        }
        let stillTable = Self.table(
            ["rule"] + still.map(\.0) + ["open sky, 5 m from the edge"] + logs.map { "`\($0.0)`, events" },
            stillRows
        )
        var moving: [(String, [Rule: MovingStudy.Delays])] = [
            ("walk", 1.4), ("cycle", 5), ("car", 14), ("motorway", 33),
        ].map {
            ($0.0, MovingStudy.delays(.straight($0.0, speed: $0.1), .openSky, every: Int(600 / $0.1)))
        }
        if Recordings.isPresent {
            for name in Self.tracks {
                let track = try Recordings.track(name)
                moving.append(
                    ("`\(name)`", MovingStudy.delays(track, .openSky, every: max(60, track.seconds.count / 12)))
                )
            }
        }
        let movingRows = Rule.allCases.map { rule in
            [rule.rawValue]
                + moving.map { column in
                    let delays = column.1[rule] ?? .init()
                    let spoilt = delays.missed + delays.excess > 0 ? ", −\(delays.missed) +\(delays.excess)" : ""
                    return String(format: "%.1f s, %.0f m", Self.mean(delays.seconds), Self.mean(delays.meters))
                        + spoilt
                }
        }
        let movingTable = Self.table(["rule"] + moving.map(\.0), movingRows)
        let page = root.appending(path: "docs/conditions.md")
        var text = try String(contentsOf: page, encoding: .utf8)
        try Self.replace("still", with: stillTable, in: &text)
        try Self.replace("moving", with: movingTable, in: &text)
        try Self.replace("looks", with: Self.lookTable, in: &text)
        try text.write(to: page, atomically: true, encoding: .utf8)
        try Self.writeEstimates(to: root.appending(path: "docs/receivers.md"))
        let plot = Rule.allCases.map { rule in
            Plot.Dot(
                name: rule.rawValue,
                seconds: Self.mean(moving.prefix(4).flatMap { $0.1[rule]?.seconds ?? [] }),
                events: Self.mean(still.map { $0.1[rule]?.perDay ?? 0 })
            )
        }
        try Plot(dots: plot).svg.write(
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
        let begin = try #require(text.range(of: "<!-- \(name): begin -->\n"))
        let end = try #require(text.range(of: "\n<!-- \(name): end -->"))
        text.replaceSubrange(begin.upperBound..<end.lowerBound, with: table)
    }
}

extension FieldFigures {
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
