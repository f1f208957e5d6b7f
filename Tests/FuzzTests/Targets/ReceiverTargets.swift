internal import LocationEngine

@testable internal import LocationDaemon
@testable internal import LocationSources

/// The ranges of every fix, and of the engine's form of it.
private func checkFix(_ fix: SourceFix) throws {
    try Finding.unless(abs(fix.latitude) <= 90 && abs(fix.longitude) <= 180, "a fix beside the Earth")
    try Finding.unless(!fix.horizontalAccuracy.isNaN, "an accuracy that is no number")
    let taken = Fix(fix)
    try Finding.unless(taken.latitude.magnitude <= 900_000_000, "a latitude beyond the poles")
    try Finding.unless(taken.course.map { (0..<36_000).contains($0) } ?? true, "a course beyond 360°")
    try Finding.unless((taken.speed ?? 0) >= 0 && (taken.horizontalAccuracy ?? 0) >= 0, "less than nothing")
}

struct NMEATarget: FuzzTarget {
    private static let bodies = [
        "GPGGA,090000.00,5332.75150,N,00957.98000,E,1,09,0.9,6.0,M,40.0,M,,",
        "GPGSA,A,3,02,05,07,13,15,18,23,29,30,,,,1.7,0.9,1.5",
        "GPRMC,090000.00,A,5332.75150,N,00957.98000,E,2.70,95.97,170526,,,A",
        "GPGST,090000.00,3.1,4.0,2.5,31.0,3.0,4.0,7.5", "GPVTG,95.97,T,,M,2.70,N,5.00,K,A",
        "GNGNS,090001.00,5332.75150,S,00957.98000,W,AADF,18,0.7,6.2,40.0,,,V",
        "GPGLL,5332.75150,N,00957.98000,E,090001.00,A,A", "GPZDA,090002.00,17,05,2026,00,00",
    ]

    private static func sentence(_ body: some Collection<UInt8>) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        let sum = body.reduce(0, ^)
        return [UInt8(ascii: "$")] + body + [UInt8(ascii: "*"), digits[Int(sum >> 4)], digits[Int(sum & 15)], 13, 10]
    }

    /// Each sentence after one with a position: most say nothing alone.
    var seeds: [[UInt8]] {
        let sentences = Self.bodies.map { Self.sentence($0.utf8) }
        return [Array(sentences.joined())] + sentences.map { sentences[0] + $0 }
    }
    var words: [[UInt8]] {
        [
            "$", "*", ",", ",,,,,,,,", "#", "\r\n", "$GPGGA,", "$GNRMC,", "-", "235960.99", "320113", "290299",
            "310200", "S", "W",
        ]
        .map { Array($0.utf8) }
    }

    func mended(_ input: [UInt8]) -> [UInt8] {
        Array(
            input.split(separator: 10, omittingEmptySubsequences: true).map { line in
                guard line.first == UInt8(ascii: "$"), let star = line.firstIndex(of: UInt8(ascii: "*")) else {
                    return Array(line) + [10]
                }
                return Self.sentence(line[(line.startIndex + 1)..<star])
            }.joined()
        )
    }

    func check(_ input: [UInt8]) throws -> Bool {
        var (whole, pieces, learning) = (NMEADecoder(), NMEADecoder(), NMEADecoder(learnsCycle: true))
        let events = whole.feed(input) + whole.flush()
        try Finding.unless(input.flatMap { pieces.feed([$0]) } + pieces.flush() == events, "pieces tell something else")
        for event in events + learning.feed(input) + learning.flush() {
            if case .measured(.fix(let fix)) = event { try checkFix(fix) }
        }
        if let replay = try? NMEAReplay(input) {
            try Finding.unless(replay.lap > .zero, "a lap that takes no time")
            try Finding.unless(
                zip(replay.epochs, replay.epochs.dropFirst()).allSatisfy { $0.offset < $1.offset },
                "disorder"
            )
            try Finding.unless(replay.epoch(replay.epochs.count).offset >= replay.lap, "a lap that overlaps")
        }
        return !events.isEmpty
    }
}

struct GPSDTarget: FuzzTarget {
    var seeds: [[UInt8]] {
        [
            #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#,
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyUSB0","activated":1.5}]}"#,
            #"{"class":"WATCH","enable":true,"json":true}"#, #"{"class":"DEVICE","path":"/dev/ttyUSB0","activated":0}"#,
            #"{"class":"TPV","mode":3,"time":"2026-11-21T07:51:00.250Z","lat":53.545858833,"lon":9.966416333,"#
                + #""altHAE":46.0,"altMSL":6.0,"epx":9.8,"epy":9.8,"epv":34.5,"track":95.97,"epd":1.0,"speed":1.4,"eps":0.5,"eph":17.1}"#,
            #"{"class":"TPV","mode":1}"#, #"{"class":"ERROR","message":"no"}"#,
        ].map { Array("\($0)\r\n".utf8) }
    }
    var words: [[UInt8]] {
        [
            "{", "}", "[", "]", "\"", ":", ",", "null", "true", "\\u0000", "\\uD800", "\n", "\"class\":", "\"mode\":3",
            "\"lat\":",
        ]
        .map { Array($0.utf8) }
    }

    func check(_ input: [UInt8]) throws -> Bool {
        var (whole, pieces) = (GPSDDecoder(), GPSDDecoder())
        let events = whole.feed(input)
        try Finding.unless(input.flatMap { pieces.feed([$0]) } == events, "pieces tell something else")
        for event in events { if case .measured(.fix(let fix)) = event { try checkFix(fix) } }
        return !events.isEmpty
    }
}
