internal import Foundation
internal import WhereaboutsVocabulary

/// The positions that a sharer's device gave, in the forms that maps read.
public enum JournalExport {
    /// GeoJSON (RFC 7946): a point for each position, oldest first.
    public static func geoJSON(_ requests: [JournaledRequest]) throws -> String {
        let features = Self.positions(requests).map { Feature($0.request, $0.fix) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(Collection(features: features)), as: UTF8.self)
    }

    /// GPX 1.1: a waypoint for each position, oldest first, named after the safety number of its recipient.
    public static func gpx(_ requests: [JournaledRequest]) -> String {
        let points = Self.positions(requests).map { request, fix in
            let height = fix.altitude.map { "\n    <ele>\($0)</ele>" } ?? ""
            return """
                  <wpt lat="\(fix.latitude)" lon="\(fix.longitude)">\(height)
                    <time>\(Self.text(fix.time))</time>
                    <name>\(request.requester.safetyNumber)</name>
                    <desc>given \(Self.text(request.time)), ±\(fix.horizontalAccuracy) m</desc>
                  </wpt>

                """
        }
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="whereabouts \(Release.version)" xmlns="http://www.topografix.com/GPX/1/1">
            \(points.joined())</gpx>
            """
    }

    private static func positions(_ requests: [JournaledRequest]) -> [(request: JournaledRequest, fix: SharedFix)] {
        requests.compactMap { request in
            if case .fix(let fix) = request.content { (request, fix) } else { nil }
        }
    }

    fileprivate static func text(_ time: WallTime) -> String {
        Date(timeIntervalSince1970: time.timeIntervalSince1970).formatted(.iso8601)
    }

    private struct Collection: Encodable {
        let type = "FeatureCollection"
        let features: [Feature]
    }
}

private struct Feature: Encodable {
    struct Point: Encodable {
        let type = "Point"
        /// Degrees east, degrees north, and metres above the sea, if known.
        let coordinates: [Double]
    }
    struct Properties: Encodable {
        let accuracy: Double
        let given: String
        let measured: String
        let request: String
        let requester: String
    }

    let type = "Feature"
    let geometry: Point
    let properties: Properties

    init(_ request: JournaledRequest, _ fix: SharedFix) {
        self.geometry = Point(coordinates: [fix.longitude, fix.latitude] + (fix.altitude.map { [$0] } ?? []))
        self.properties = Properties(
            accuracy: fix.horizontalAccuracy,
            given: JournalExport.text(request.time),
            measured: JournalExport.text(fix.time),
            request: "\(request.request)",
            requester: request.requester.text
        )
    }
}
