internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Goal: estimates are better than the receiver's positions, and the claimed accuracy is never better than justified.
@Suite struct FixEstimatorTests {
    private static let origin = QuantizedCoordinate(latitude: 480_000_000, longitude: 110_000_000)

    private static func now(_ seconds: Double) -> Now {
        Now(
            monotonic: EngineInstant(sinceStart: .milliseconds(Int64((seconds * 1000).rounded()))),
            wall: WallTime(timeIntervalSince1970: 1_800_000_000 + seconds)
        )
    }

    /// A fix at this distance from the origin, in metres.
    private static func fix(
        _ east: Double,
        _ north: Double = 0,
        at second: Double,
        age: Double = 0,
        accuracy: Int32 = 4000,
        speed: Double? = nil,
        course: Double? = nil,
        receiver: UInt8? = 0
    ) -> Fix {
        let point = LocalPlane(at: Self.origin).point(at: PlaneVector(east: east, north: north))
        return Fix(
            latitude: point.latitude,
            longitude: point.longitude,
            horizontalAccuracy: accuracy,
            course: course.map { Int32($0 * 100) },
            speed: speed.map { Int32($0 * 1000) },
            receiver: receiver,
            time: Self.now(second - age).wall,
            arrival: Self.now(second).monotonic
        )
    }

    private static func feed(_ estimator: inout FixEstimator, _ fix: Fix, at second: Double) -> FixEstimator.OnFix {
        estimator.fixReceived(fix, now: Self.now(second))
    }

    /// The estimate's distance east of the origin, in metres; nil: no estimate.
    private static func east(_ result: FixEstimator.OnFix) -> Double? {
        guard case .use(let fix) = result else { return nil }
        let point = QuantizedCoordinate(latitude: Int(fix.latitude), longitude: Int(fix.longitude))
        return LocalPlane(at: Self.origin).vector(to: point).east
    }

    @Test func whatNoReceiverMeasuredIsGivenAsItIs() {
        var estimator = FixEstimator(policy: Policy())
        for (number, east) in [0.0, 5000, -3000, 0].enumerated() {
            let fix = Self.fix(east, at: Double(number), receiver: nil)
            #expect(Self.feed(&estimator, fix, at: Double(number)) == .use(fix))
        }
    }

    /// Goal: fixes without errors stay unchanged, whether the device rests or moves in a straight line.
    @Test(arguments: [0.0, 1.4, 14, 250]) func exactFixesStayExact(speed: Double) throws {
        var estimator = FixEstimator(policy: Policy())
        for second in 0..<120 {
            let fix = Self.fix(Double(second) * speed, at: Double(second), speed: speed, course: 90)
            let east = try #require(Self.east(Self.feed(&estimator, fix, at: Double(second))))
            #expect(abs(east - Double(second) * speed) < 0.03, "second \(second)")
        }
    }

    @Test func aLeapIsRefusedAndForgotten() throws {
        var estimator = FixEstimator(policy: Policy())
        for second in 0..<20 {
            let isLie = second == 10 || second == 14
            let fix = Self.fix(isLie ? 200 : 0, at: Double(second), accuracy: isLie ? 1700 : 4000)
            let result = Self.feed(&estimator, fix, at: Double(second))
            if isLie { #expect(result == .drop(.outlier)) } else { #expect(abs(try #require(Self.east(result))) < 0.1) }
        }
    }

    /// Goal: the estimate follows within seconds if the device was carried away, or if the first fixes were wrong.
    @Test func aLeapThatStaysIsBelieved() throws {
        var estimator = FixEstimator(policy: Policy())
        for second in 0..<10 { _ = Self.feed(&estimator, Self.fix(0, at: Double(second)), at: Double(second)) }
        #expect(Self.feed(&estimator, Self.fix(500, at: 10), at: 10) == .drop(.outlier))
        #expect(Self.feed(&estimator, Self.fix(501, at: 11), at: 11) == .drop(.outlier))
        let east = try #require(Self.east(Self.feed(&estimator, Self.fix(500, at: 12), at: 12)))
        #expect(abs(east - 500) < 2)
    }

    /// Goal: isolated outliers, each repeated once, are rejected while the device cannot be there.
    @Test func leapsThatDisagreeAreNotBelieved() {
        var estimator = FixEstimator(policy: Policy())
        _ = Self.feed(&estimator, Self.fix(0, at: 0), at: 0)
        for second in 1..<9 {
            let east = second.isMultiple(of: 2) ? 900.0 : -900
            for _ in 0..<2 {
                let result = Self.feed(&estimator, Self.fix(east, at: Double(second)), at: Double(second))
                #expect(result == .drop(.outlier))
            }
        }
    }

    /// Goal: an epoch that is reported early and then corrected counts once, in its corrected form.
    @Test func anAmendedFixTakesThePlaceOfTheFirst() throws {
        var (twice, once) = (FixEstimator(policy: Policy()), FixEstimator(policy: Policy()))
        for second in 0..<9 {
            let better = Self.fix(Double(second % 3), at: Double(second), speed: 0.2)
            _ = Self.feed(&twice, Self.fix(7, at: Double(second), accuracy: 100_000), at: Double(second))
            let results = [Self.feed(&twice, better, at: Double(second)), Self.feed(&once, better, at: Double(second))]
            if second > 0 { #expect(results[0] == results[1]) }
        }
    }

    @Test func whatCannotBeUsedIsRefusedWithTheReason() {
        var estimator = FixEstimator(policy: Policy())
        var nowhere = Self.fix(0, at: 1)
        (nowhere.latitude, nowhere.longitude) = (0, 0)
        #expect(Self.feed(&estimator, nowhere, at: 1) == .drop(.nowhere))
        _ = Self.feed(&estimator, Self.fix(0, at: 5), at: 5)
        #expect(Self.feed(&estimator, Self.fix(0, at: 6, age: 3), at: 6) == .drop(.disordered))
    }

    /// Goal: the first fix after a tunnel is used unchanged.
    @Test func aGapForgetsAll() throws {
        var estimator = FixEstimator(policy: Policy())
        for second in 0..<10 {
            _ = Self.feed(
                &estimator,
                Self.fix(Double(second) * 30, at: Double(second), speed: 30, course: 90),
                at: Double(second)
            )
        }
        let east = try #require(Self.east(Self.feed(&estimator, Self.fix(-4000, at: 60), at: 60)))
        #expect(abs(east + 4000) < 0.02)
    }

    /// Goal: a device at rest has no changing course, and a speed near zero.
    @Test func aSlowDeviceHasNoCourse() throws {
        var estimator = FixEstimator(policy: Policy())
        var generator = SeededGenerator(seed: 3)
        for second in 0..<60 {
            let fix = Self.fix(
                Double.random(in: -3...3, using: &generator),
                Double.random(in: -3...3, using: &generator),
                at: Double(second),
                speed: Double.random(in: 0...0.3, using: &generator),
                course: Double.random(in: 0..<360, using: &generator)
            )
            guard case .use(let estimate) = Self.feed(&estimator, fix, at: Double(second)) else {
                Issue.record("a fix of a still device was refused")
                continue
            }
            #expect(estimate.course == nil && (estimate.speed ?? .max) < 500)
        }
    }

    /// Goal: a receiver that claims 1 m but scatters by 20 m is soon given a larger error.
    @Test func theAccuracyIsNoBetterThanTheScatter() {
        var estimator = FixEstimator(policy: Policy())
        var generator = SeededGenerator(seed: 5)
        var last: Int32 = 0
        for second in 0..<600 {
            let fix = Self.fix(
                Double.random(in: -20...20, using: &generator),
                Double.random(in: -20...20, using: &generator),
                at: Double(second),
                accuracy: 1000,
                speed: 0
            )
            if case .use(let estimate) = Self.feed(&estimator, fix, at: Double(second)) {
                last = estimate.horizontalAccuracy ?? 0
                #expect(last >= 1000)
            }
        }
        #expect(last > 8000, "\(last) mm")
    }

    /// Goal: for any fixes in any order and size, the result is a valid fix or a reason, and its accuracy is never
    /// better than reported.
    @Test(arguments: 1...60) func anythingIsBorne(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var estimator = FixEstimator(policy: Policy())
        var second = 0.0
        for _ in 0..<300 {
            second += [0, 0.001, 0.05, 1, 1, 1, 10, 100_000].randomElement(using: &generator) ?? 0
            let near = Bool.random(using: &generator)
            let fix = Fix(
                latitude: near ? 899_999_000 : Int32.random(in: .min ... .max, using: &generator),
                longitude: near ? 1_799_999_000 : Int32.random(in: .min ... .max, using: &generator),
                horizontalAccuracy: [0, 1, 4000, .max].randomElement(using: &generator),
                course: Int32.random(in: 0..<36_000, using: &generator),
                speed: [0, 100, 20_000, .max, .min].randomElement(using: &generator),
                speedAccuracy: [nil, 0, .max].randomElement(using: &generator) ?? nil,
                receiver: UInt8.random(in: 0...2, using: &generator),
                time: Self.now(second).wall.advanced(by: .seconds(Double.random(in: -5...5, using: &generator))),
                arrival: Self.now(second).monotonic
            )
            guard case .use(let estimate) = Self.feed(&estimator, fix, at: second) else { continue }
            #expect(abs(Int(estimate.latitude)) <= 900_000_000 && abs(Int(estimate.longitude)) <= 1_800_000_000)
            #expect((estimate.horizontalAccuracy ?? -1) >= (fix.horizontalAccuracy ?? 0))
            #expect((0..<36_000).contains(estimate.course ?? 0))
        }
    }
}
