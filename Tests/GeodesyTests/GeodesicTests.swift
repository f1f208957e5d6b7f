internal import Foundation
internal import Testing

@testable import Geodesy

@Suite struct GeodesicTests {
    /// A row of `geodesics.tsv`: an exact geodesic.
    struct Row {
        let from: GeodeticCoordinate
        let to: GeodeticCoordinate
        let azimuth1: Double
        let azimuth2: Double
        let distance: Double
    }

    static func rows() throws -> [Row] {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "geodesics.tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            let values = try $0.split(separator: "\t").map { try #require(Double($0)) }
            try #require(values.count == 7)
            return Row(
                from: try #require(GeodeticCoordinate(latitude: values[0], longitude: values[1])),
                to: try #require(GeodeticCoordinate(latitude: values[2], longitude: values[3])),
                azimuth1: values[4],
                azimuth2: values[5],
                distance: values[6]
            )
        }
    }

    /// How far apart two points are that are less than a kilometre apart, in metres, on a sphere.
    static func separation(_ one: GeodeticCoordinate, _ other: GeodeticCoordinate) -> Double {
        let east = (one.longitude - other.longitude).remainder(dividingBy: 360) * cos(one.latitude * .pi / 180)
        let north = one.latitude - other.latitude
        return (east * east + north * north).squareRoot() * 111_319.5
    }

    /// Goal: 15 nm, the paper's own figure.
    @Test func distancesAreExact() throws {
        let rows = try Self.rows()
        #expect(rows.count > 150)
        for row in rows {
            let error = Geodesic.inverse(from: row.from, to: row.to).distance.value - row.distance
            #expect(abs(error) <= 15e-9, "\(row): \(error * 1e9) nm")
        }
    }

    /// Goal: setting out as the inverse solution says, one arrives.
    ///
    /// An azimuth itself may be ill-determined (for short lines, and near antipodes); where it leads is what counts.
    @Test func azimuthsLeadThere() throws {
        for row in try Self.rows() {
            let path = Geodesic.inverse(from: row.from, to: row.to)
            let there = Geodesic.direct(from: row.from, azimuth: path.azimuth1, distance: path.distance)
            #expect(Self.separation(there.point, row.to) < 25e-9, "\(row)")
            let back = Geodesic.direct(
                from: row.to,
                azimuth: path.azimuth2,
                distance: Meters(-path.distance.value)
            )
            #expect(Self.separation(back.point, row.from) < 25e-9, "\(row)")
        }
    }

    /// Goal: the direct solution is exact.
    ///
    /// Method: the exact azimuth and distance lead to the exact end.
    @Test func directIsExact() throws {
        for row in try Self.rows() where row.distance > 0 {
            let arrival = Geodesic.direct(from: row.from, azimuth: row.azimuth1, distance: Meters(row.distance))
            #expect(Self.separation(arrival.point, row.to) < 20e-9, "\(row)")
        }
    }
}
