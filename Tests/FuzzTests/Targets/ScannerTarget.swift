internal import WhereaboutsLocationSources
internal import WhereaboutsVocabulary

/// Lines of programs that scan for beacons.
struct ScannerTarget: FuzzTarget {
    private static let now = Now(
        monotonic: EngineInstant(sinceStart: .zero),
        wall: WallTime(timeIntervalSince1970: 1_795_000_000)
    )

    var seeds: [[UInt8]] {
        [
            #"{"uuid":"E2C56DB5-DFFB-48D2-B060-D0F5A71096E0","major":1,"minor":65535,"rssi":-67,"measuredPower":-59,"#
                + #""time":1795000000.25}"#,
            #"{"listening":true}"#, #"{"listening":false}"#,
        ].map { Array("\($0)\n".utf8) }
    }
    var words: [[UInt8]] {
        [
            "{", "}", "[", "]", "\"", ":", ",", "null", "true", "\\u0000", "\\uD800", "\n", "\"uuid\":", "\"rssi\":",
            "-128", "128", "65536", "1e999", "-0",
        ]
        .map { Array($0.utf8) }
    }

    func check(_ input: [UInt8]) throws -> Bool {
        var (whole, pieces) = (BeaconFeedDecoder(), BeaconFeedDecoder())
        let events = whole.feed(input, now: Self.now)
        try Finding.unless(
            input.flatMap { pieces.feed([$0], now: Self.now) } == events,
            "pieces tell something else"
        )
        for event in events {
            guard case .received(let advertisement) = event else { continue }
            try Finding.unless((-127...20).contains(advertisement.rssi), "a strength that no receiver tells")
        }
        return !events.isEmpty
    }
}
