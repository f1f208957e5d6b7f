internal import Foundation
internal import WhereaboutsVocabulary

/// A log in `Tests/Logs`: the output of an imaginary receiver during one phenomenon that real receivers show.
struct ReceiverLog: Sendable, CustomStringConvertible {
    /// The name of its files: the phenomenon in a word or two.
    let name: String
    /// The phenomenon in a sentence.
    let phenomenon: String
    /// A hint for readers of the log.
    let notes: String
    /// The numbers of our epochs and of gpsd's positions that the other side does not have; ``notes`` has the reason.
    var unmatched: (ours: Int, theirs: Int) = (0, 0)
    /// The bytes of the receiver.
    let bytes: [UInt8]

    var description: String { self.name }

    /// The file: the header, then the bytes.
    var file: Data {
        let header = """
            # Device: none; made by Tests/LocationSourcesTests/ReceiverLog.swift
            # Source: made for this repository
            # Licence: Apache-2.0
            # Date: 2026-11-21
            # Phenomenon: \(self.phenomenon)
            # Notes: \(self.notes)

            """
        return Data(header.utf8) + self.bytes
    }

    static let all = [
        tunnel, coldStart, stillDesk, weekRollover, midnight, leapSecond, talkers, slowLine, noise, antimeridian,
        differential, tenHertz, teleport,
    ]

    // MARK: The phenomena

    private static let tunnel = ReceiverLog(
        name: "tunnel",
        phenomenon: "no fix for 8 s on the way",
        notes: "the position after the tunnel is where the road ends, not where it began",
        bytes: made(0..<20) { 6..<14 ~= $0 ? void($0) : fix($0) }
    )

    private static let coldStart = ReceiverLog(
        name: "cold-start",
        phenomenon: "nothing, then the time, then the date, then two dimensions, then three",
        notes: "positions have a height from the third dimension on",
        bytes: made(0..<16) { second in
            let time = clock(second)
            switch second {
            case 0..<3: return ["GPGGA,,,,,,0,00,99.99,,,,,,", noSatellites, "GPRMC,,V,,,,,,,,,,N"]
            case 3..<6: return ["GPGGA,\(time),,,,,0,00,99.99,,,,,,", noSatellites, "GPRMC,\(time),V,,,,,,,,,,N"]
            case 6..<9: return void(second)
            case 9..<12:
                return [
                    "GPGGA,\(time),\(place(second)),1,03,4.2,,M,,M,,", "GPGSA,A,2,02,05,07,,,,,,,,,,4.4,4.2,1.0",
                    "GPRMC,\(time),A,\(place(second)),,,170526,,,A",
                ]
            default: return fix(second)
            }
        }
    )

    private static let stillDesk = ReceiverLog(
        name: "still-desk",
        phenomenon: "a receiver that lies still and wanders some metres",
        notes: "GST says how much; it goes before the dilution of precision",
        bytes: {
            var generator = SeededGenerator(seed: 1)
            var step = 0
            return made(0..<30) { second in
                step += Int.random(in: -2...2, using: &generator)
                return fix(second, step: step, speed: "0.02")
                    + ["GPGST,\(clock(second)),3.1,4.0,2.5,31.0,3.0,4.0,7.5"]
            }
        }()
    )

    private static let weekRollover = ReceiverLog(
        name: "week-rollover",
        phenomenon: "a date 1,024 weeks early, as receivers say whose week counter ran over",
        notes: "the date is the receiver's statement, and is not corrected by the decoder; gpsd adds the weeks",
        unmatched: (4, 5),
        bytes: made(0..<5) { fix($0, date: "011006") }
    )

    private static let midnight = ReceiverLog(
        name: "midnight",
        phenomenon: "the day changes, and the sentence that says so comes last",
        notes: "GGA of the new day comes before RMC has told its date",
        bytes: made(86_395..<86_405) { Array(fix($0, date: $0 < 86_400 ? "170526" : "180526").reversed()) }
    )

    private static let leapSecond = ReceiverLog(
        name: "leap-second",
        phenomenon: "2016-12-31T23:59:60",
        notes: "UNIX time has no such second: it is told as the first of the new year; gpsd dates two seconds in 2036",
        unmatched: (1, 2),
        bytes: made(0..<6) { index in
            let times = ["235958.00", "235959.00", "235960.00", "000000.00", "000001.00", "000002.00"]
            return fix(index, time: times[index], date: index < 3 ? "311216" : "010117")
        }
    )

    private static let talkers = ReceiverLog(
        name: "talkers",
        phenomenon: "a receiver of several constellations, among other instruments",
        notes: "GSA comes three times an epoch; the compass, the vendor's and the ship's sentences are not ours",
        bytes: made(0..<8) { second in
            [
                "GNRMC,\(clock(second)),A,\(place(second)),2.7,95.97,170526,,,A,V",
                "GNGNS,\(clock(second)),\(place(second)),AAAN,18,0.7,6.2,40.0,,,V",
                "GNGSA,A,3,02,05,07,13,15,18,23,29,,,,,1.3,0.7,1.1,1", "GNGSA,A,3,65,66,72,81,,,,,,,,,1.3,0.7,1.1,2",
                "GNGSA,A,3,03,08,13,15,24,31,,,,,,,1.3,0.7,1.1,3", "GPGSV,1,1,02,02,45,120,40,05,60,200,38,1",
                "GLGSV,1,1,01,65,30,050,35,1", "HCHDG,101.1,,,7.1,W",
                "PUBX,00,\(clock(second)),\(place(second)),6.2,G3,2.1,2.0,0.0,0.0,0.0,,1.0,1.0,1.0,8,0,0",
            ]
        } + Array("!AIVDM,1,1,,B,177KQJ5000G?tO`K>RA1wUbN0TKH,0*5C\r\n".utf8)
    )

    private static let slowLine = ReceiverLog(
        name: "4800-baud",
        phenomenon: "more sentences a second than the line carries bytes",
        notes: "the last sentence of each second is cut off where the next second begins",
        bytes: (0..<8).flatMap { second in
            let satellites = (1...4).map {
                "GPGSV,4,\($0),16,02,45,120,40,05,60,200,38,07,15,310,33,13,70,080,44"
            }
            return made(second..<second + 1) { fix($0) + satellites }.prefix(460)
        }
    )

    private static let noise = ReceiverLog(
        name: "noise",
        phenomenon: "a line read at the wrong speed, and then a bad cable",
        notes: "in every third epoch a bit of RMC is wrong: the date is that of the epoch before; gpsd waits in vain",
        unmatched: (1, 0),
        bytes: {
            var generator = SeededGenerator(seed: 2)
            let garbage = (0..<300).map { _ in UInt8.random(in: 0x80...0xFF, using: &generator) }
            return garbage
                + (0..<9).flatMap { second in
                    var bytes = made(second..<second + 1) { fix($0) }
                    if second % 3 == 2 { bytes[bytes.count - 20] ^= 0x04 }
                    return bytes
                }
        }()
    )

    private static let antimeridian = ReceiverLog(
        name: "antimeridian",
        phenomenon: "a ship in the south crosses 180°",
        notes: "the longitude changes its sign from one second to the next",
        bytes: made(0..<8) { second in
            let minutes = 5_999_960 + second * 10
            let east = minutes < 6_000_000 ? "179\(digits(minutes)),E" : "179\(digits(12_000_000 - minutes - 1)),W"
            return fix(second, place: "1645.00000,S,\(east)")
        }
    )

    private static let differential = ReceiverLog(
        name: "differential",
        phenomenon: "all qualities: 1 GPS, 2 differential, 5 and 4 real-time kinematic, 6 dead reckoning, 0 none",
        notes: "7 and 8, by hand and simulated, are no fixes; gpsd takes them for fixes, and 4 and 5 for plain ones",
        unmatched: (0, 9),
        bytes: made(0..<16) { second in
            let quality = [1, 2, 5, 4, 6, 0, 7, 8][second / 2]
            let mode = ["A", "D", "F", "R", "E", "N", "M", "S"][second / 2]
            return [
                "GPGGA,\(clock(second)),\(place(second)),\(quality),12,0.8,6.0,M,40.0,M,,",
                "GPGSA,A,\(quality == 0 ? 1 : 3),02,05,07,13,15,18,23,29,30,,,,1.5,0.8,1.3",
                "GPRMC,\(clock(second)),\(quality == 0 ? "V" : "A"),\(place(second)),2.7,95.97,170526,,,\(mode)",
            ]
        }
    )

    private static let tenHertz = ReceiverLog(
        name: "ten-hertz",
        phenomenon: "ten epochs a second",
        notes: "GSA comes once a second: the other nine have no vertical accuracy",
        bytes: made(0..<25) { tenth in
            let time = "0900\(String(format: "%02d", tenth / 10)).\(tenth % 10)0"
            let sentences = fix(tenth, time: time)
            return tenth % 10 == 0 ? sentences : [sentences[0], sentences[2]]
        }
    )

    private static let teleport = ReceiverLog(
        name: "teleport",
        phenomenon: "a jump of 100 km and back, as reflected signals and jammers make it",
        notes: "the decoder believes the receiver; whoever uses positions must not",
        bytes: made(0..<9) { 3..<6 ~= $0 ? fix($0, place: "5432.75150,N,00957.98000,E") : fix($0) }
    )

    // MARK: Sentences

    private static let noSatellites = "GPGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99"

    /// The sentences of epochs, with checksums and line ends.
    private static func made(_ epochs: Range<Int>, _ sentences: (Int) -> [String]) -> [UInt8] {
        epochs.flatMap(sentences).flatMap { body in
            let checksum = body.utf8.reduce(0, ^)
            return Array("$\(body)*\(String(format: "%02X", checksum))\r\n".utf8)
        }
    }

    /// An epoch with a position in three dimensions: GGA, GSA, RMC.
    private static func fix(
        _ second: Int,
        step: Int? = nil,
        time: String? = nil,
        place: String? = nil,
        speed: String = "2.70",
        date: String = "170526"
    ) -> [String] {
        let (time, place) = (time ?? self.clock(second), place ?? self.place(step ?? second))
        return [
            "GPGGA,\(time),\(place),1,09,0.9,6.0,M,40.0,M,,", "GPGSA,A,3,02,05,07,13,15,18,23,29,30,,,,1.7,0.9,1.5",
            "GPRMC,\(time),A,\(place),\(speed),95.97,\(date),,,A",
        ]
    }

    private static func void(_ second: Int) -> [String] {
        let time = self.clock(second)
        return ["GPGGA,\(time),,,,,0,00,99.99,,,,,,", self.noSatellites, "GPRMC,\(time),V,,,,,,,170526,,,N"]
    }

    /// The time of day, that many seconds after nine; from half a day on, after midnight.
    private static func clock(_ second: Int) -> String {
        let second = second < 43_200 ? 32_400 + second : second % 86_400
        return String(format: "%02d%02d%02d.00", second / 3600, second / 60 % 60, second % 60)
    }

    /// A place on the harbour of Hamburg, that many steps of 1.1 m to the east.
    private static func place(_ step: Int) -> String { "5332.75150,N,009\(self.digits(5_798_000 + step * 100)),E" }

    /// Minutes of arc, from units of 1e-5 minutes.
    private static func digits(_ units: Int) -> String {
        String(format: "%02d.%05d", units / 100_000, units % 100_000)
    }
}
