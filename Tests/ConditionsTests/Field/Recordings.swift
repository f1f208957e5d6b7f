internal import FieldLogs
internal import Foundation
internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsLocationSources

/// The recordings of the ``FieldLogs``.
enum Recordings {
    static let isPresent = FieldLogs.folder != nil
    static let absence: Comment = "skipped: \(FieldLogs.absence)"

    /// The fixes of a receiver's log.
    static func log(_ name: String) throws -> [Observation] {
        let file = try #require(FieldLogs.folder).appending(path: "gpsd/\(name).log")
        return try Recording(Data(contentsOf: file)).epochs.map { epoch in
            Observation(
                second: epoch.offset / .seconds(1),
                point: QuantizedCoordinate(
                    latitude: Int((epoch.fix.latitude * 1e7).rounded()),
                    longitude: Int((epoch.fix.longitude * 1e7).rounded())
                ),
                accuracy: epoch.fix.horizontalAccuracy > 0 ? epoch.fix.horizontalAccuracy : nil,
                speed: epoch.fix.speed
            )
        }
    }

    /// The dated points of a GPX track.
    static func track(_ name: String) throws -> Track {
        let file = try #require(FieldLogs.folder).appending(path: "gpx/\(name).gpx")
        let points = try GPXDocument(Data(contentsOf: file)).points
        let start = points.lazy.compactMap(\.time).first ?? 0
        let dated = points.compactMap { point in
            point.time.map { time in
                Track.Point(
                    second: time - start,
                    place: QuantizedCoordinate(
                        latitude: Int((point.latitude * 1e7).rounded()),
                        longitude: Int((point.longitude * 1e7).rounded())
                    )
                )
            }
        }
        return Track(name: name, points: dated.sorted { $0.second < $1.second })
    }
}
