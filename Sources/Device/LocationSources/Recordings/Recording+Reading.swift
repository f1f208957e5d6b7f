internal import WhereaboutsGeodesy

/// The forms of a recording, each read by its decoder.
extension Recording {
    /// Detects the form by the content.
    ///
    /// - Parameter bytes: the whole file.
    /// - Returns: the form in which it is read.
    public static func format(of bytes: some Collection<UInt8>) -> Format {
        if GPXDocument.isLikely(bytes) { return .gpx }
        let report = Array("{\"class\":".utf8)
        let isOfGPSD = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 100).contains { $0.starts(with: report) }
        return isOfGPSD ? .gpsd : .nmea
    }

    /// The fixes, each with whether reception was continuous before it, and the number of dropped lines or points.
    typealias Fixes = (fixes: [(fix: SourceFix, isConnected: Bool)], dropped: Int)

    static func fixesOfNMEA(_ bytes: some Sequence<UInt8>) -> Fixes {
        var decoder = NMEADecoder()
        var (fixes, isConnected): (Fixes, Bool) = (([], 0), true)
        for event in decoder.feed(bytes) + decoder.flush() {
            switch event {
            case .malformed: fixes.dropped += 1
            case .measured(.fix(let fix)):
                fixes.fixes.append((fix, isConnected))
                isConnected = true
            case .noFix: isConnected = false
            case .measured(.heading): break
            }
        }
        return fixes
    }

    static func fixesOfGPSD(_ bytes: some Sequence<UInt8>) -> Fixes {
        var decoder = GPSDDecoder()
        var (fixes, isConnected): (Fixes, Bool) = (([], 0), true)
        for event in decoder.feed(Array(bytes) + [UInt8(ascii: "\n")]) {
            switch event {
            case .malformed: fixes.dropped += 1
            case .measured(.fix(let fix)):
                fixes.fixes.append((fix, isConnected))
                isConnected = true
            case .noFix, .deviceLost: isConnected = false
            case .ready, .watching, .devices, .deviceFound, .measured(.heading), .failed: break
            }
        }
        return fixes
    }

    static func fixesOfGPX(_ bytes: some Sequence<UInt8>) throws(Failure) -> Fixes {
        let points: [GPXDocument.Point]
        do {
            points = try GPXDocument(bytes).points
        } catch {
            throw .gpx(error)
        }
        let hasTimes = points.contains { $0.time != nil }
        var fixes: Fixes = ([], 0)
        var walked = 0.0
        for (index, point) in points.enumerated() {
            if !hasTimes, index > 0 { walked += Self.distance(points[index - 1], point) / Self.walkingSpeed }
            guard let time = hasTimes ? point.time : walked else {
                fixes.dropped += 1
                continue
            }
            var fix = SourceFix(point, time: time)
            // A single place is not a route: playback stays there.
            if !hasTimes { fix.speed = points.count > 1 ? Self.walkingSpeed : 0 }
            // A route without times has only corners, and each is reached from the previous one.
            fixes.fixes.append((fix, !(hasTimes && point.beginsSegment)))
        }
        return fixes
    }

    private static func distance(_ from: GPXDocument.Point, _ to: GPXDocument.Point) -> Double {
        guard let from = GeodeticCoordinate(latitude: from.latitude, longitude: from.longitude),
            let to = GeodeticCoordinate(latitude: to.latitude, longitude: to.longitude)
        else { return 0 }
        return Geodesic.inverse(from: from, to: to).distance.value
    }
}

extension SourceFix {
    /// Converts a point of a GPX file.
    fileprivate init(_ point: GPXDocument.Point, time: Double) {
        self.init(
            latitude: point.latitude,
            longitude: point.longitude,
            horizontalAccuracy: point.accuracy
                ?? point.hdop.flatMap { AccuracyModel.horizontalAccuracy(hdop: $0, isDifferential: false) }
                ?? Recording.phoneAccuracy,
            time: time
        )
        self.altitude = point.altitude
        self.speed = point.speed
        self.course = point.course
    }
}
