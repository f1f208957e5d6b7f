public import CoreLocation
internal import WhereaboutsLocationSources

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
        do {
            self.points = try GPXDocument(text.utf8).points.map(Point.init)
        } catch {
            throw Failure(description: "\(error)")
        }
    }
}

extension GPXTrack.Point {
    fileprivate init(_ point: GPXDocument.Point) {
        self.init(
            place: CLLocationCoordinate2D(latitude: point.latitude, longitude: point.longitude),
            time: point.time.map { Date(timeIntervalSince1970: $0) },
            altitude: point.altitude,
            speed: point.speed,
            accuracy: point.accuracy
        )
    }
}
