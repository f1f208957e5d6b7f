internal import Foundation
internal import SwiftProtobuf
internal import Testing
internal import WhereaboutsLocationWireMessages

@testable internal import WhereaboutsLocationctl

/// Tests for the JSON output that scripts read.
@Suite struct ReportTests {
    @Test func timesAreThoseOfRFC3339() throws {
        let microseconds: Int64 = 1_779_008_400_250_000
        #expect(Timestamp.of(microseconds, in: .gmt) == "2026-05-17T09:00:00.250Z")
        let zone = try #require(TimeZone(secondsFromGMT: 5 * 3600 + 1800))
        #expect(Timestamp.of(microseconds, in: zone) == "2026-05-17T14:30:00.250+05:30")
        #expect(Timestamp.of(microseconds, in: zone).contains(/^[0-9-]{10}T[0-9:]{8}\.[0-9]{3}[+-][0-9]{2}:[0-9]{2}$/))
    }

    @Test func countsAreNumbers() throws {
        let accounts = WirePushAccounts.with {
            $0.total.received = 5_000_000_000
            $0.recent = [.with { $0.time = 1_779_008_400_250_000 }]
        }
        #expect(
            try accounts.json == #"{"total":{"received":5000000000},"recent":[{"time":1779008400250000}]}"#
        )
    }

    /// Goal: `status` shows who reads positions through NMEA, and with what precision.
    @Test func theReadersOfNMEAAreShown() throws {
        var status = WireDeviceStatus.with {
            $0.nmeaSocket = .with {
                $0.path = "/run/nmea.sock"
                $0.mode = 0o666
                $0.readersMax = 8
                $0.others = ["geoclue"]
                $0.authorization = .whenInUse
                $0.reducedAccuracy = true
                $0.readers = [
                    .with {
                        $0.pid = 812
                        $0.program = "geoclue"
                        $0.user = "geoclue"
                        $0.since = 1_779_008_400_250_000
                    }
                ]
            }
        }
        let since = Timestamp.of(1_779_008_400_250_000)
        let lines = status.text.split(separator: "\n")
        let socket = "nmea       /run/nmea.sock, mode 0666, also for geoclue"
        #expect(lines.contains("\(socket): 1 program reads (when in use, approximate)"))
        #expect(lines.contains("           geoclue (812) of geoclue, since \(since)"))
        status.nmeaSocket.mode = 0
        status.nmeaSocket.fault = "its file is gone"
        status.nmeaSocket.readers = []
        let gone = status.text.split(separator: "\n")
        #expect(gone.contains("nmea       /run/nmea.sock, mode none, also for geoclue: nobody reads"))
        #expect(gone.contains("           trouble: its file is gone; restart locationd"))
        #expect(!WireDeviceStatus().text.contains("nmea"))
    }

    /// Goal: `status` shows a polkit that does not answer, with its cause, start, consequences and remedy.
    @Test func aPolkitThatFailsIsTrouble() {
        let since = Timestamp.of(1_779_008_400_250_000)
        let failing = WireDeviceStatus.with {
            $0.polkit = .with {
                $0.cause = "pkcheck failed"
                $0.remedy = "systemctl start polkit"
                $0.since = 1_779_008_400_250_000
                $0.refused = 4
            }
        }
        let text = failing.text
        #expect(text.contains("polkit     trouble since \(since): pkcheck failed\n"))
        #expect(text.contains("also the person at the seat; 4 so far\n"), "\(text)")
        #expect(text.contains("           → systemctl start polkit\n"), "\(text)")
        #expect(!WireDeviceStatus.with { $0.polkit.answers = true }.text.contains("polkit"))
    }

    /// A silent receiver shows how long it has been silent, even before that counts as a fault.
    @Test func theAgeOfTheLastFixIsShown() {
        func line(_ age: Double?) -> Substring? {
            let status = WireDeviceStatus.with {
                ($0.source, $0.sourceState) = ("gpsd at localhost:2947", "delivering")
                $0.receiver = .with { if let age { $0.lastFixAge = age } }
            }
            return status.text.split(separator: "\n").first { $0.hasPrefix("fixes") }
        }
        #expect(line(nil) == "fixes      gpsd at localhost:2947: delivering")
        #expect(line(0.4) == line(nil))
        #expect(line(12.3) == "fixes      gpsd at localhost:2947: delivering, the last fix 12 s ago")
    }

    @Test func anOutdatedProgramIsShown() {
        #expect(!WireDeviceStatus().text.contains("version"))
        let text = WireDeviceStatus.with { $0.programReplaced = true }.text
        #expect(text.hasPrefix("version    older than the installed one"))
    }

    @Test func theFeedOfBeaconsIsShownAndWhereThereIsNone() {
        let none = WireDeviceStatus().text.split(separator: "\n")
        #expect(!none.contains { $0.hasPrefix("beacons") })
        let status = WireDeviceStatus.with {
            $0.beaconFeed = .with {
                $0.path = "/run/b.sock"
                $0.state = "listening"
                $0.advertisements = 12
                $0.dropped = 3
                $0.fault = "byte 0: rssi is out of range"
            }
        }
        let lines = status.text.split(separator: "\n")
        #expect(lines.contains("beacons    /run/b.sock: listening, 12 receptions"))
        #expect(lines.contains("           dropped 3 lines; the last one: byte 0: rssi is out of range"))
    }
}
