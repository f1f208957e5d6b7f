internal import Foundation
internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

extension Benchmark {
    /// One fix against many circular conditions, beside Redis and S2 on the same fences and fixes.
    static let monitor = Benchmark(name: "monitor") {
        let reference = try FenceReference()
        defer { reference.stop() }
        var figures: [Figure] = []
        var fixTimes: [Int: Double] = [:]
        for count in [20, 1000, 100_000, 1_000_000] {
            let (redis, s2, asked) = try reference.run(count)
            let ours = FenceWorkload.measure(count)
            // The Earth is a sphere of another radius to each of them.
            for other in [redis, s2] where abs(ours.inside - other.inside) * 20 > max(ours.inside, 100) {
                throw FenceReference.Failure(
                    description:
                        "\(count) fences: \(ours.inside) fixes inside, by the references \(redis.inside), \(s2.inside)"
                )
            }
            fixTimes[count] = ours.fix
            for (part, value, other, name) in [
                ("fix", ours.fix, asked, "Redis's GEOSEARCH, asked at each fix"),
                ("fix-pipelined", ours.fix, redis.fix, "Redis's GEOSEARCH, 100 in a row"),
                ("fix-s2", ours.fix, s2.fix, "S2's point index"),
                ("add", ours.add, redis.add, "Redis's GEOADD"), ("remove", ours.remove, redis.remove, "Redis's ZREM"),
            ] {
                figures.append(
                    Figure(
                        name: "\(part)-\(count)",
                        value: value / 1000,
                        unit: "µs",
                        ratio: other / value,
                        reference: name
                    )
                )
            }
            figures.append(
                Figure(
                    name: "look-\(count)",
                    value: ours.look / 1000,
                    unit: "µs",
                    ratio: redis.fix / ours.look,
                    reference: "Redis's GEOSEARCH"
                )
            )
        }
        if let few = fixTimes[1000], let many = fixTimes[1_000_000] {
            figures.append(
                Figure(name: "growth", value: many / 1000, unit: "µs", ratio: many / few, reference: "1,000 conditions")
            )
        }
        return figures
    }
}

/// The same fences and fixes as in `Reference/fences.cpp`.
private enum FenceWorkload {
    /// Nanoseconds, and how often a fix was inside of a fence.
    struct Times {
        var fix = 0.0
        var look = 0.0
        var add = 0.0
        var remove = 0.0
        var inside = 0
    }

    static let seed: UInt64 = 1
    static let places = 2000
    /// The fixes that are timed together, as in the reference; their median is the figure.
    private static let batch = 100

    static func measure(_ count: Int) -> Times {
        var random = SeededGenerator(seed: self.seed)
        func draw() -> Double { Double(random.next() >> 11) / 9_007_199_254_740_992 }
        let fences = (0..<count).compactMap { _ -> ConditionCircle? in
            let latitude = 36 + draw() * 24
            let longitude = -10 + draw() * 40
            return ConditionCircle(
                center: self.point(latitude, longitude),
                radius: Int64(((100 + draw() * 400) * 1000).rounded())
            )
        }
        let points = (0..<self.places).flatMap { _ -> [QuantizedCoordinate] in
            let fence = fences[Int(draw() * Double(fences.count))].center
            let latitude = Double(fence.latitude) / 1e7 + (draw() - 0.5) * 0.009
            let point = self.point(latitude, Double(fence.longitude) / 1e7 + (draw() - 0.5) * 0.009)
            return [point, point]
        }
        let policy = BeliefPolicy()
        let clock = ContinuousClock()
        var times = Times()
        var set = CircularConditions<Int>(policy: policy)
        times.add =
            clock.measure {
                for (key, fence) in fences.enumerated() { set.add(key, circle: fence, belief: Belief(side: .outside)) }
            } / .nanoseconds(count)
        var trail = Trail()
        let sightings = points.enumerated().map { second, point in
            let wall = WallTime(seconds: 1_800_000_000 + Int64(second) * 1000)
            let now = Now(monotonic: EngineInstant(sinceStart: .seconds(1000 * (second + 1))), wall: wall)
            return Sighting(point: point, accuracy: 5_000, time: wall, now: now, policy: policy)
        }
        times.fix = self.median(of: sightings) { sighting in
            guard case .use(let evidence) = trail.sightingArrived(sighting, policy: policy) else { return }
            _ = set.sightingArrived(evidence)
        }
        var sum: Int64 = 0
        times.look = self.median(of: points) { sum &+= set.nearestBoundary(to: $0) }
        for point in points { times.inside += set.count(containing: point) }
        precondition(sum >= 0)
        times.remove = clock.measure { for key in 0..<count { set.remove(key) } } / .nanoseconds(count)
        return times
    }

    /// The nanoseconds that work takes: of the batches of it, the median.
    private static func median<Item>(of items: [Item], _ work: (Item) -> Void) -> Double {
        let clock = ContinuousClock()
        return stride(from: 0, to: items.count, by: self.batch).map { first in
            let batch = items[first..<min(first + self.batch, items.count)]
            return clock.measure { for item in batch { work(item) } } / .nanoseconds(batch.count)
        }.quantile(0.5)
    }

    private static func point(_ latitude: Double, _ longitude: Double) -> QuantizedCoordinate {
        QuantizedCoordinate(latitude: Int((latitude * 1e7).rounded()), longitude: Int((longitude * 1e7).rounded()))
    }
}

/// `Reference/fences.cpp`, and a Redis of its own.
private final class FenceReference {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Nanoseconds, and how often a fix was inside of a fence.
    struct Times {
        let fix: Double
        let add: Double
        let remove: Double
        let inside: Int
    }

    private let directory: URL
    private let redis = Process()

    /// Compiles the program and starts Redis on a Unix socket.
    init() throws {
        self.directory = FileManager.default.temporaryDirectory.appending(path: "fences-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.directory, withIntermediateDirectories: true)
        let source = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Reference/fences.cpp")
        do {
            let program = self.directory.appending(path: "fences").path
            // S2's own headers warn.
            _ = try Command.output("g++", ["-O2", "-w", "-std=c++17", "-o", program, source.path, "-ls2"])
            _ = try Command.output("redis-server", ["--version"])
        } catch {
            try? FileManager.default.removeItem(at: self.directory)
            throw NotMeasured(reason: "a reference is missing; apt-get install g++ libs2-dev redis-server (\(error))")
        }
        self.redis.executableURL = URL(filePath: "/usr/bin/env")
        self.redis.arguments = [
            "redis-server", "--port", "0", "--unixsocket", self.socket, "--save", "", "--appendonly", "no", "--dir",
            self.directory.path,
        ]
        self.redis.standardOutput = FileHandle.nullDevice
        try self.redis.run()
        let end = ContinuousClock.now.advanced(by: .seconds(10))
        while !FileManager.default.fileExists(atPath: self.socket), ContinuousClock.now < end { usleep(10_000) }
    }

    private var socket: String { self.directory.appending(path: "redis").path }

    /// Returns the times of both, and the nanoseconds of one question to Redis and its answer.
    func run(_ count: Int) throws -> (redis: Times, s2: Times, asked: Double) {
        let arguments = [self.socket, "\(FenceWorkload.seed)", "\(count)", "\(FenceWorkload.places)"]
        let output = try Command.output(self.directory.appending(path: "fences").path, arguments)
        let lines = output.split(separator: "\n").map { $0.split(separator: " ").compactMap { Double($0) } }
        guard lines.map(\.count) == [4, 4, 1] else {
            throw Failure(description: "the reference says \(output)")
        }
        let times = lines.dropLast().map { Times(fix: $0[0], add: $0[1], remove: $0[2], inside: Int($0[3])) }
        return (times[0], times[1], lines[2][0])
    }

    func stop() {
        self.redis.terminate()
        self.redis.waitUntilExit()
        try? FileManager.default.removeItem(at: self.directory)
    }
}
