internal import Foundation
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

extension Benchmark {
    /// The inverse geodesic problem on random pairs, against GeographicLib's C++ on the same pairs.
    static let geodesy = Benchmark(name: "geodesy") {
        let reference = try GeodesyReference.run()
        let ours = GeodesyReference.measure()
        // Sums of 200,000 distances and azimuths; they differ only by rounding.
        guard abs(ours.sum - reference.sum) <= 1e-9 * abs(reference.sum) else {
            throw GeodesyReference.Failure(
                description: "Geodesy and GeographicLib disagree: sums \(ours.sum) and \(reference.sum)"
            )
        }
        return [
            Figure(
                name: "inverse",
                value: ours.nanoseconds,
                unit: "ns",
                ratio: ours.nanoseconds / reference.nanoseconds,
                reference: "GeographicLib's C++"
            )
        ]
    }
}

/// One workload, run by `Geodesy` and by GeographicLib; the fastest round of each counts, as it has the least disturbance.
private enum GeodesyReference {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static let seed: UInt64 = 1
    static let pairs = 200_000
    static let rounds = 7

    /// Compiles `Reference/geodesic.cpp` and runs it.
    static func run() throws -> (nanoseconds: Double, sum: Double) {
        let directory = FileManager.default.temporaryDirectory.appending(path: "geodesy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Reference/geodesic.cpp")
        let program = directory.appending(path: "geodesic")
        do {
            try Command.output("g++", ["-O2", "-o", program.path, source.path, "-lGeographicLib"])
        } catch {
            throw NotMeasured(
                reason: "the reference does not compile; apt-get install g++ libgeographiclib-dev (\(error))"
            )
        }
        let output = try Command.output(program.path, ["\(self.seed)", "\(self.pairs)", "\(self.rounds)"])
        let numbers = output.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard numbers.count == 2 else { throw Failure(description: "the reference says \(output)") }
        return (numbers[0], numbers[1])
    }

    /// Runs the same workload with `Geodesy`.
    static func measure() -> (nanoseconds: Double, sum: Double) {
        var random = SeededGenerator(seed: self.seed)
        func draw() -> Double {
            Double(random.next() >> 11) / 9_007_199_254_740_992
        }
        func point() -> GeodeticCoordinate? {
            let latitude = draw() * 180 - 90
            return GeodeticCoordinate(latitude: latitude, longitude: draw() * 360 - 180)
        }
        let points = (0..<(2 * self.pairs)).compactMap { _ in point() }
        var fastest = Duration.seconds(3600)
        var sum = 0.0
        for _ in 0..<self.rounds {
            sum = 0
            let elapsed = ContinuousClock().measure {
                for index in stride(from: 0, to: points.count, by: 2) {
                    let path = Geodesic.inverse(from: points[index], to: points[index + 1])
                    sum += path.distance.value + path.azimuth1 + path.azimuth2
                }
            }
            fastest = min(fastest, elapsed)
        }
        return (fastest / .nanoseconds(self.pairs), sum)
    }
}
