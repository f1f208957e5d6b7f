internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon
@testable internal import WhereaboutsLocationSources

/// The ranges of every fix, and of the engine's form of it.
private func checkFix(_ fix: SourceFix) throws {
    try Finding.unless(abs(fix.latitude) <= 90 && abs(fix.longitude) <= 180, "a fix beside the Earth")
    try Finding.unless(!fix.horizontalAccuracy.isNaN, "an accuracy that is not a number")
    let taken = Fix(fix, receiver: 0)
    try Finding.unless(taken.latitude.magnitude <= 900_000_000, "a latitude beyond the poles")
    try Finding.unless(taken.course.map { (0..<36_000).contains($0) } ?? true, "a course beyond 360°")
    try Finding.unless((taken.speed ?? 0) >= 0 && (taken.horizontalAccuracy ?? 0) >= 0, "less than nothing")
}

/// The text and the figures that people read about a receiver.
private func checkHealth(_ health: ReceiverHealth) throws {
    let sky = health.sky
    try Finding.unless((sky.hdop ?? 1).isFinite && (health.rate ?? 1).isFinite, "a figure that is not a number")
    for text in [health.fault, health.driver, health.device] {
        try Finding.unless(text.map { !$0.containsControlCharacters && $0.utf8.count <= 400 } ?? true, "words that act")
    }
}

/// The order of a recording, and a part of its playback.
private func checkRecording(_ recording: Recording) throws {
    try Finding.unless(recording.lap > .zero, "a lap that takes no time")
    try Finding.unless(
        zip(recording.epochs, recording.epochs.dropFirst()).allSatisfy { $0.offset < $1.offset },
        "disorder"
    )
    try Finding.unless(recording.epoch(recording.epochs.count).offset >= recording.lap, "a lap that overlaps")
    var settings = Playback.Settings()
    settings.speed = 50
    var playback = Playback(recording, settings, now: .zero)
    playback.started(now: .zero)
    for _ in 0..<20 {
        guard let deadline = playback.deadline else { throw Finding("a playback without an end has one") }
        if case .tell(let fix, _) = playback.deadlineReached(now: deadline) { try checkFix(fix) }
        try Finding.unless(playback.deadline.map { $0 > deadline } ?? false, "a playback that stands in time")
    }
}

extension EngineInstant {
    fileprivate static var zero: EngineInstant { EngineInstant(sinceStart: .zero) }
}

struct NMEATarget: FuzzTarget {
    private static let bodies = [
        "GPGGA,090000.00,5332.75150,N,00957.98000,E,1,09,0.9,6.0,M,40.0,M,,",
        "GPGSA,A,3,02,05,07,13,15,18,23,29,30,,,,1.7,0.9,1.5",
        "GPRMC,090000.00,A,5332.75150,N,00957.98000,E,2.70,95.97,170526,,,A",
        "GPGST,090000.00,3.1,4.0,2.5,31.0,3.0,4.0,7.5", "GPVTG,95.97,T,,M,2.70,N,5.00,K,A",
        "GNGNS,090001.00,5332.75150,S,00957.98000,W,AADF,18,0.7,6.2,40.0,,,V",
        "GPGLL,5332.75150,N,00957.98000,E,090001.00,A,A", "GPZDA,090002.00,17,05,2026,00,00",
        "PUBX,00,090000.00,5332.75150,N,00957.98000,E,46.0,G3,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,0.77,9,0,0",
        "PGRME,2.0,M,3.0,M,3.6,M", "GPGSV,2,1,07,02,45,120,40,05,60,200,38,07,15,310,33,13,70,080,44,1",
        "IIGLL,5332.75150,N,00957.98000,E,090001.00,A,A", "HCHDG,101.1,1.0,E,7.1,W",
    ]

    private static func sentence(_ body: some Collection<UInt8>) -> [UInt8] {
        let digits = Array("0123456789ABCDEF".utf8)
        let sum = body.reduce(0, ^)
        return [UInt8(ascii: "$")] + body + [UInt8(ascii: "*"), digits[Int(sum >> 4)], digits[Int(sum & 15)], 13, 10]
    }

    /// Each sentence follows one with a position: alone, most have no effect.
    var seeds: [[UInt8]] {
        let sentences = Self.bodies.map { Self.sentence($0.utf8) }
        return [Array(sentences.joined())] + sentences.map { sentences[0] + $0 }
    }
    var words: [[UInt8]] {
        [
            "$", "*", ",", ",,,,,,,,", "#", "\r\n", "$GPGGA,", "$GNRMC,", "-", "235960.99", "320113", "290299",
            "310200", "S", "W", "PUBX,00,", "PGRME,", "PQ", "II",
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
        var (learner, reader) = (learning, ReceiverReader(.nmea, now: .zero))
        let events = whole.feed(input) + whole.flush()
        try Finding.unless(input.flatMap { pieces.feed([$0]) } + pieces.flush() == events, "pieces tell something else")
        let learned = learning.feed(input)
        try Finding.unless(input.flatMap { learner.feed([$0]) } == learned, "pieces are learned otherwise")
        _ = reader.feed(input, now: .zero)
        try checkHealth(reader.health)
        try Finding.unless((.milliseconds(20)...(.seconds(1))).contains(learning.quiet), "a quiet time without end")
        for event in events + learned + learning.flush() {
            if case .measured(.fix(let fix)) = event { try checkFix(fix) }
        }
        if let recording = try? Recording(input) { try checkRecording(recording) }
        return !events.isEmpty
    }
}

struct GPSDTarget: FuzzTarget {
    private static let fix =
        #"{"class":"TPV","mode":3,"time":"2026-11-21T07:51:00.250Z","lat":53.545858833,"lon":9.966416333,"#
        + #""altHAE":46.0,"altMSL":6.0,"epx":9.8,"epy":9.8,"epv":34.5,"track":95.97,"epd":1.0,"speed":1.4,"eps":0.5,"eph":17.1}"#

    var seeds: [[UInt8]] {
        [
            #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#,
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyUSB0","activated":1.5}]}"#,
            #"{"class":"WATCH","enable":true,"json":true}"#, #"{"class":"DEVICE","path":"/dev/ttyUSB0","activated":0}"#,
            Self.fix,
            #"{"class":"TPV","mode":1}"#, #"{"class":"ERROR","message":"no"}"#,
            #"{"class":"SKY","device":"/dev/ttyUSB0","hdop":0.9,"vdop":1.5,"nSat":12,"uSat":9,"satellites":[{"PRN":1,"used":true}]}"#
                + "\r\n" + Self.fix,
            #"{"class":"GST","device":"/dev/ttyUSB0","time":"2026-11-21T07:51:00.000Z","lat":3.0,"lon":4.0,"alt":7.5}"#
                + "\r\n" + Self.fix,
            #"{"class":"DEVICE","path":"/dev/ttyUSB0","driver":"u-blox","activated":"2026-11-21T07:51:01.269Z"}"#,
            #"{"class":"ATT","heading":14.2,"mheading":13.1,"mag_st":"N"}"#,
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
        var (whole, pieces, reader) = (GPSDDecoder(), GPSDDecoder(), ReceiverReader(.gpsd, now: .zero))
        _ = reader.feed(input, now: .zero)
        try checkHealth(reader.health)
        let events = whole.feed(input)
        try Finding.unless(input.flatMap { pieces.feed([$0]) } == events, "pieces tell something else")
        for event in events { if case .measured(.fix(let fix)) = event { try checkFix(fix) } }
        return !events.isEmpty
    }
}

struct ProgramTarget: FuzzTarget {
    var seeds: [[UInt8]] {
        [
            #"{"name":"bus","fix":{"latitude":53.5,"longitude":9.9,"accuracy":4.5,"altitude":6,"ellipsoidalAltitude":46,"#
                + #""verticalAccuracy":8,"course":95.9,"courseAccuracy":3,"speed":1.4,"speedAccuracy":0.3,"time":1795000000.25}}"#,
            #"{"fix":{"latitude":-90,"longitude":180,"isEstimate":true}}"#,
            #"{"heading":{"trueNorth":359.9,"magneticNorth":1,"time":1795000000}}"#,
            #"{"state":"searching"}"#, #"{"state":"lost"}"#,
        ].map { Array("\($0)\n".utf8) }
    }
    var words: [[UInt8]] {
        [
            "{", "}", "[", "]", "\"", ":", ",", "null", "true", "\\u0000", "\\uD800", "\n", "\"fix\":", "\"latitude\":",
            "\"state\":", "1e999", "-0",
        ]
        .map { Array($0.utf8) }
    }

    func check(_ input: [UInt8]) throws -> Bool {
        var (whole, pieces, reader) = (ProgramDecoder(), ProgramDecoder(), ReceiverReader(.program, now: .zero))
        _ = reader.feed(input, now: .zero)
        try checkHealth(reader.health)
        let events = whole.feed(input, now: .zero)
        try Finding.unless(input.flatMap { pieces.feed([$0], now: .zero) } == events, "pieces tell something else")
        for event in events { if case .measured(.fix(let fix)) = event { try checkFix(fix) } }
        return !events.isEmpty
    }
}

struct GPXTarget: FuzzTarget {
    var seeds: [[UInt8]] {
        [
            """
            <?xml version="1.0"?><gpx version="1.0"><trk><trkseg>
            <trkpt lat="48.0" lon="11.0"><ele>500</ele><time>2026-01-01T12:00:00Z</time>
            <speed>1.5</speed><course>90</course></trkpt>
            <trkpt lat='48.01' lon='11.0'><time>2026-01-01T14:10:00+02:00</time><hdop>0.9</hdop></trkpt>
            </trkseg><trkseg><trkpt lat="48.01" lon="11.02"><time>2026-01-01T13:00:00.5Z</time></trkpt></trkseg></trk></gpx>
            """,
            """
            <gpx version="1.1" xmlns:x="urn:x"><!-- a > b --><rte><rtept lat="0" lon="180"/><rtept lat="1" lon="-179.9">
            <extensions><x:accuracy> 4.5 </x:accuracy></extensions></rtept></rte><wpt lat="1" lon="2"><![CDATA[<]]></wpt></gpx>
            """,
        ].map { Array($0.utf8) }
    }
    var words: [[UInt8]] {
        [
            "<", ">", "/>", "\"", "'", "<!--", "-->", "<![CDATA[", "]]>", "<?", "<!DOCTYPE", "&lt;",
            "<trkpt lat=\"1\" lon=\"2\">", "</trkpt>", "<trkseg>", "<time>", "1e308", "nan", "-90",
            "9999-12-31T23:59:60Z", "0001-01-01T00:00:00-14:00",
        ]
        .map { Array($0.utf8) }
    }

    func check(_ input: [UInt8]) throws -> Bool {
        guard let document = try? GPXDocument(input) else { return false }
        for point in document.points {
            try Finding.unless(abs(point.latitude) <= 90 && abs(point.longitude) <= 180, "a point beside the Earth")
        }
        if let recording = try? Recording(input) { try checkRecording(recording) }
        return true
    }
}
