public import CoreLocation
internal import WhereaboutsLocationSources

/// A recorded track: a GPX file, the NMEA 0183 of a receiver, or gpsd's JSON as `gpspipe -w` prints it.
///
/// The format is recognised by the content. GPX: track points, or route points and waypoints if there is no
/// track. The others: each position with a date. Everything else is skipped.
public struct RecordedTrack: Sendable {
    /// One point.
    public struct Point: Sendable {
        /// The point's place.
        public var place: CLLocationCoordinate2D
        /// When the point was recorded; nil if missing.
        public var time: Date?
        /// Metres above mean sea level; nil if missing.
        public var altitude: CLLocationDistance?
        /// Metres a second; nil if missing.
        public var speed: CLLocationSpeed?
        /// The standard error of the place in metres; nil if missing.
        ///
        /// In GPX it is the `accuracy` that loggers for phones write; `hdop` is not a length, and is not read.
        public var accuracy: CLLocationAccuracy?
        /// Whether the receiver had no signal before this point: a new segment of GPX with times, or 5 s without a position.
        public var followsGap: Bool
    }

    /// The reason why a text is not a track.
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
        guard let bytes = try? Data(contentsOf: url) else {
            throw Failure(description: "\(url.path) cannot be read: give the path of a GPX file or a receiver's log")
        }
        try self.init(bytes: bytes)
    }

    /// Reads a text.
    ///
    /// - Parameter text: XML, sentences of NMEA 0183, or lines of JSON.
    /// - Throws: ``Failure``.
    public init(_ text: String) throws { try self.init(bytes: text.utf8) }

    private init(bytes: some Collection<UInt8>) throws {
        do {
            // A recording drops points of GPX without a time; here the device walks to them.
            self.points =
                switch Recording.format(of: bytes) {
                case .gpx: try GPXDocument(bytes).points.map(Point.init)
                case .nmea, .gpsd: try Recording(bytes).epochs.map(Point.init)
                }
        } catch {
            throw Failure(description: "\(error)")
        }
    }
}

extension RecordedTrack.Point {
    fileprivate init(_ point: GPXDocument.Point) {
        self.init(
            place: CLLocationCoordinate2D(latitude: point.latitude, longitude: point.longitude),
            time: point.time.map { Date(timeIntervalSince1970: $0) },
            altitude: point.altitude,
            speed: point.speed,
            accuracy: point.accuracy,
            followsGap: point.beginsSegment && point.time != nil
        )
    }

    fileprivate init(_ epoch: Recording.Epoch) {
        let fix = epoch.fix
        self.init(
            place: CLLocationCoordinate2D(latitude: fix.latitude, longitude: fix.longitude),
            time: fix.time.map { Date(timeIntervalSince1970: $0) },
            altitude: fix.altitude,
            speed: fix.speed,
            accuracy: fix.horizontalAccuracy > 0 ? fix.horizontalAccuracy : nil,
            followsGap: !epoch.isConnected
        )
    }
}
