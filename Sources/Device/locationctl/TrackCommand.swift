internal import ArgumentParser
internal import Foundation
internal import WhereaboutsLocationSources

/// `locationctl track`: writes the NMEA 0183 log of a moving receiver, for demos and tests.
struct TrackCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "track",
        abstract: "Write the NMEA 0183 log of a receiver that moves along a route.",
        discussion: """
            The log follows from the arguments alone: the same arguments give the same bytes (unless --start is now).
            Play it with gpsfake or with locationd --replay.
            """
    )

    @Option(
        name: .customLong("waypoint"),
        parsing: .unconditionalSingleValue,
        help: "Corner of the route as latitude,longitude in degrees; give two or more [a harbour walk]."
    )
    var waypoints: [Waypoint] = []

    @Option(help: "The speed in metres per second, 0.1…1000.")
    var speed = 1.4

    @Option(help: "The epochs per second, 0.1…20.")
    var rate = 1.0

    @Option(help: "The time of the first epoch: now, or as 2026-05-17T09:00:00Z.")
    var start = StartTime.now

    @Option(help: "Length in seconds; beyond the route, the log walks back and forth [once along the route].")
    var duration: Double?

    @Option(help: "The standard deviation of the position error per axis in metres, 0…100.")
    var noise = 1.5

    @Option(help: "Seed of the random position errors.")
    var seed: UInt64 = 1

    @Option(help: "Lose the fix between two times, as 120-180 in seconds since the start.")
    var tunnel: Tunnel?

    @Option(name: .shortAndLong, help: "File to write [standard output].")
    var output: String?

    func run() throws {
        let start: Double
        switch self.start {
        case .now: start = Date.now.timeIntervalSince1970.rounded(.down)
        case .at(let seconds): start = seconds
        }
        var track = NMEATrack(
            waypoints: self.waypoints.isEmpty ? NMEATrack.harbourWalk : self.waypoints.map(\.value),
            start: start
        )
        track.speed = self.speed
        track.rate = self.rate
        track.duration = self.duration
        track.noise = self.noise
        track.seed = self.seed
        track.tunnel = self.tunnel?.seconds
        let log: String
        do {
            log = try track.log()
        } catch {
            throw ValidationError(error.description)
        }
        if let output = self.output {
            do {
                try Data(log.utf8).write(to: URL(filePath: output))
            } catch {
                throw Refused(
                    "cannot write \(output): \(error.localizedDescription); name a file in one of your folders"
                )
            }
        } else {
            print(log, terminator: "")
        }
    }

    struct Waypoint: ExpressibleByArgument {
        let value: NMEATrack.Waypoint

        init?(argument: String) {
            let parts = argument.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else { return nil }
            self.value = NMEATrack.Waypoint(latitude: latitude, longitude: longitude)
        }
    }

    enum StartTime: ExpressibleByArgument {
        case now
        case at(Double)

        init?(argument: String) {
            if argument == "now" {
                self = .now
            } else if let seconds = UTCTime.seconds(iso8601: argument) {
                self = .at(seconds)
            } else {
                return nil
            }
        }

        var defaultValueDescription: String { "now" }
    }

    struct Tunnel: ExpressibleByArgument {
        let seconds: Range<Double>

        init?(argument: String) {
            let parts = argument.split(separator: "-", omittingEmptySubsequences: false).map { Double($0) }
            guard parts.count == 2, let from = parts[0], let to = parts[1], from < to else { return nil }
            self.seconds = from..<to
        }
    }
}
