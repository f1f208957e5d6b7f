internal import WhereaboutsVocabulary

/// The points of a GPX file, versions 1.0 and 1.1 (<https://www.topografix.com/GPX/1/1/>), as phones and receivers record them.
///
/// Reads track points; without a track, route points; without both, waypoints. Everything else is skipped.
public struct GPXDocument: Sendable, Hashable {
    /// One point.
    public struct Point: Sendable, Hashable {
        /// Degrees, north positive, −90…90.
        public var latitude: Double
        /// Degrees, east positive, −180…180.
        public var longitude: Double
        /// When the point was recorded, in UNIX seconds; nil if missing.
        public var time: Double?
        /// The height above mean sea level in metres (`ele`); nil if missing.
        public var altitude: Double?
        /// The speed in metres a second (`speed`: GPX 1.0, and extensions of 1.1); nil if missing.
        public var speed: Double?
        /// The direction of travel in degrees clockwise from true north, 0…360 (`course`: GPX 1.0, and extensions of
        /// 1.1); nil if missing.
        public var course: Double?
        /// The accuracy of the position in metres (`accuracy`, which loggers for phones write); nil if missing.
        public var accuracy: Double?
        /// The horizontal dilution of precision (`hdop`), a factor without a unit; nil if missing.
        public var hdop: Double?
        /// Whether the point is the first of a segment, so that the path from the previous point is unknown.
        ///
        /// Receivers begin a segment after a loss of reception.
        public var beginsSegment: Bool
    }

    /// The points, in the order of the file; at least one.
    public let points: [Point]

    /// Reads a GPX text in UTF-8.
    ///
    /// - Parameter bytes: the XML.
    /// - Throws: ``GPXError``.
    public init(_ bytes: some Sequence<UInt8>) throws(GPXError) {
        var reader = Reader(Array(bytes))
        let found = try reader.read()
        guard let points = [found.track, found.route, found.waypoints].first(where: { !$0.isEmpty }) else {
            throw GPXError(rule: .noPoints, point: 0)
        }
        self.points = points
    }

    /// Whether a text begins like XML.
    static func isLikely(_ bytes: some Sequence<UInt8>) -> Bool {
        bytes.first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) } == UInt8(ascii: "<")
    }
}

/// The state of reading a document.
private struct Reader {
    typealias Point = GPXDocument.Point

    private var scanner: XMLScanner
    private var points: (track: [Point], route: [Point], waypoints: [Point]) = ([], [], [])
    /// The current point, and the name of its element.
    private var point: (name: String, value: Point)?
    /// The child element whose text is being read.
    private var leaf: String?
    private var content = ""
    private var beginsSegment = true

    init(_ bytes: [UInt8]) { self.scanner = XMLScanner(bytes) }

    mutating func read() throws(GPXError) -> (track: [Point], route: [Point], waypoints: [Point]) {
        while let token = self.scanner.next() {
            switch token {
            case .cutShort: throw self.error(.cutShort)
            case .text(let range): if self.leaf != nil { self.content += self.scanner.text(range) }
            case .begin("trkpt", let attributes, let isEmpty), .begin("rtept", let attributes, let isEmpty),
                .begin("wpt", let attributes, let isEmpty):
                self.endPoint()
                guard case .begin(let name, _, _) = token else { continue }
                self.point = (name, try self.place(attributes))
                if isEmpty { self.endPoint() }
            case .begin("trkseg", _, _), .begin("rte", _, _): self.beginsSegment = true
            case .begin(let name, _, let isEmpty):
                self.leaf = isEmpty ? nil : name
                self.content = ""
            case .end(let name):
                if name == self.leaf { try self.endLeaf(name) }
                if name == self.point?.name { self.endPoint() }
                self.leaf = nil
            }
        }
        self.endPoint()
        return self.points
    }

    private func error(_ rule: GPXError.Rule) -> GPXError {
        GPXError(rule: rule, point: self.count + (rule == .cutShort && self.point == nil ? 1 : 0))
    }

    /// The number of the current or last point.
    private var count: Int {
        let points = self.points
        return points.track.count + points.route.count + points.waypoints.count + (self.point == nil ? 0 : 1)
    }

    private func place(_ attributes: Range<Int>) throws(GPXError) -> Point {
        var degrees: [Double] = []
        for name in ["lat", "lon"] {
            guard let value = self.scanner.attribute(name, in: attributes) else {
                throw GPXError(rule: .noAttribute(name), point: self.count + 1)
            }
            guard let number = Double(value), number.isFinite else {
                throw GPXError(
                    rule: .noDegrees(attribute: name, value: PlainText.of(value, bytesMax: 100)),
                    point: self.count + 1
                )
            }
            degrees.append(number)
        }
        guard abs(degrees[0]) <= 90, abs(degrees[1]) <= 180 else {
            throw GPXError(rule: .noPlace(latitude: degrees[0], longitude: degrees[1]), point: self.count + 1)
        }
        return Point(latitude: degrees[0], longitude: degrees[1], beginsSegment: self.beginsSegment)
    }

    private mutating func endPoint() {
        guard let (name, value) = self.point else { return }
        switch name {
        case "trkpt": self.points.track.append(value)
        case "rtept": self.points.route.append(value)
        default: self.points.waypoints.append(value)
        }
        self.point = nil
        self.beginsSegment = false
    }

    /// Stores the value of a child element, such as `<ele>`; of repeated elements, the first one counts.
    private mutating func endLeaf(_ name: String) throws(GPXError) {
        switch name {
        case "time":
            guard self.point?.value.time == nil else { return }
            let time = try self.time()
            self.point?.value.time = time
        case "ele": try self.endNumber(\.altitude, name, "metres", -20_000...20_000_000)
        case "speed": try self.endNumber(\.speed, name, "metres a second", 0...100_000)
        case "course": try self.endNumber(\.course, name, "degrees", 0...360)
        case "accuracy": try self.endNumber(\.accuracy, name, "metres", 0.001...2_000_000)
        case "hdop": try self.endNumber(\.hdop, name, "dilution", 0...1_000_000)
        default: return
        }
    }

    private mutating func endNumber(
        _ field: WritableKeyPath<Point, Double?>,
        _ name: String,
        _ unit: String,
        _ range: ClosedRange<Double>
    ) throws(GPXError) {
        guard let point = self.point?.value, point[keyPath: field] == nil else { return }
        guard let number = Double(self.content), range.contains(number) else {
            let value = PlainText.of(self.content, bytesMax: 100)
            throw self.error(.noNumber(element: name, value: value, unit: unit, allowed: range))
        }
        self.point?.value[keyPath: field] = number
    }

    private func time() throws(GPXError) -> Double {
        guard let time = UTCTime.seconds(xmlDateTime: self.content) else {
            throw self.error(.noTime(PlainText.of(self.content, bytesMax: 100)))
        }
        return time
    }
}
