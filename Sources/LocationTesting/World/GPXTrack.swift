public import CoreLocation

/// The points of a GPX file, as phones and receivers record them.
///
/// Reads track points, and route points and waypoints where there is no track; skips everything else.
public struct GPXTrack: Sendable {
    /// One point.
    public struct Point: Sendable {
        /// The point's place.
        public var place: CLLocationCoordinate2D
        /// When it was recorded; nil when the file does not say.
        public var time: Date?
        /// Metres above mean sea level (`ele`); nil when the file does not say.
        public var altitude: CLLocationDistance?
        /// Metres a second (`speed`); nil when the file does not say.
        public var speed: CLLocationSpeed?
        /// How well the place is known, in metres: `accuracy`, as loggers for phones write it; nil when the file does not say.
        ///
        /// GPX's own `hdop` is no length, and is not read.
        public var accuracy: CLLocationAccuracy?
    }

    /// Why a text is no track.
    public struct Failure: Error, CustomStringConvertible, Sendable {
        /// The mistake, its place in the text, and its remedy.
        public let description: String
    }

    /// The points, in the order of the file.
    public let points: [Point]

    /// Reads a file.
    ///
    /// - Parameter url: the file.
    /// - Throws: ``Failure``.
    public init(contentsOf url: URL) throws {
        guard let text = try? String(contentsOf: url, encoding: .utf8) else {
            throw Failure(description: "\(url.path) cannot be read as text: give the path of a GPX file")
        }
        try self.init(text)
    }

    /// Reads a GPX text.
    ///
    /// - Parameter text: the XML.
    /// - Throws: ``Failure``.
    public init(_ text: String) throws {
        for tag in ["trkpt", "rtept", "wpt"] {
            let points = try Self.points(tag, in: text)
            if !points.isEmpty {
                self.points = points
                return
            }
        }
        throw Failure(description: "the GPX text has no <trkpt>, <rtept> or <wpt>: is it a GPX file?")
    }

    private static func points(_ tag: String, in text: String) throws -> [Point] {
        var points: [Point] = []
        var rest = text[...]
        while let start = rest.firstRange(of: "<\(tag)") {
            rest = rest[start.upperBound...]
            // `<trkptx` is another tag.
            guard let first = rest.first, first.isWhitespace || first == ">" || first == "/" else { continue }
            guard let close = rest.firstIndex(of: ">") else {
                throw Failure(description: "point \(points.count + 1): <\(tag) is not closed; the file is cut short")
            }
            let head = rest[..<close]
            var body = rest[close...].dropFirst()
            body =
                head.hasSuffix("/")
                ? body.prefix(0) : body.firstRange(of: "</\(tag)>").map { body[..<$0.lowerBound] } ?? body
            let place = CLLocationCoordinate2D(
                latitude: try self.number("lat", in: head, of: points.count + 1),
                longitude: try self.number("lon", in: head, of: points.count + 1)
            )
            guard CLLocationCoordinate2DIsValid(place) else {
                throw Failure(
                    description: "point \(points.count + 1): (\(place.latitude), \(place.longitude)) is no place on "
                        + "Earth; latitudes are -90…90, longitudes -180…180"
                )
            }
            let number = points.count + 1
            points.append(
                Point(
                    place: place,
                    time: try self.time(in: body, of: number),
                    altitude: try self.number(in: body, "ele", "metres", -20_000...20_000_000, of: number),
                    speed: try self.number(in: body, "speed", "metres a second", 0...100_000, of: number),
                    accuracy: try self.number(in: body, "accuracy", "metres", 0.001...2_000_000, of: number)
                )
            )
            rest = rest[close...]
        }
        return points
    }

    private static func number(_ name: String, in head: Substring, of point: Int) throws -> Double {
        for quote in ["\"", "'"] {
            guard let start = head.firstRange(of: " \(name)=\(quote)") else { continue }
            let value = head[start.upperBound...].prefix { String($0) != quote }
            guard let number = Double(value), number.isFinite else {
                throw Failure(description: "point \(point): \(name)=\"\(value)\" is no number of degrees")
            }
            return number
        }
        throw Failure(description: "point \(point): the attribute \(name) is missing")
    }

    /// The text of the first element of a name in a point, under whatever prefix its extension has.
    private static func text(of name: String, in body: Substring) -> String? {
        var rest = body
        while let found = rest.firstRange(of: "\(name)>") {
            let before = rest[..<found.lowerBound].last
            rest = rest[found.upperBound...]
            guard before == "<" || before == ":" else { continue }
            return rest.firstIndex(of: "<").map { rest[..<$0].trimmingCharacters(in: .whitespacesAndNewlines) }
        }
        return nil
    }

    private static func number(
        in body: Substring,
        _ name: String,
        _ unit: String,
        _ range: ClosedRange<Double>,
        of point: Int
    ) throws -> Double? {
        guard let text = self.text(of: name, in: body) else { return nil }
        guard let number = Double(text), range.contains(number) else {
            throw Failure(
                description: "point \(point): <\(name)>\(text) is no number of \(unit) from \(range.lowerBound) to "
                    + "\(range.upperBound)"
            )
        }
        return number
    }

    private static func time(in body: Substring, of point: Int) throws -> Date? {
        guard let text = self.text(of: "time", in: body) else { return nil }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        guard let date = try? Date(text, strategy: style) else {
            throw Failure(description: "point \(point): the time \(text) is not of the form 2026-01-31T12:00:00Z")
        }
        return date
    }
}
