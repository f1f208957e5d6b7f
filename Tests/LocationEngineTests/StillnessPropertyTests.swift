internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Goal: with measurement errors, each stay is detected as one, and a walk is never detected as a stay.
@Suite struct StillnessPropertyTests {
    /// A receiver with random errors and occasional outliers.
    private struct Receiver {
        /// In metres; two thirds of the fixes have a smaller error.
        let accuracy: Double
        var random: SeededGenerator
        private var strayed = 0

        init(accuracy: Double, seed: UInt64) {
            self.accuracy = accuracy
            self.random = SeededGenerator(seed: seed)
        }

        /// A fix of a device that is that many metres north and east of the beginning.
        mutating func fix(north: Double, east: Double) -> Fix {
            if self.strayed > 0 {
                self.strayed -= 1
            } else if Double.random(in: 0..<1, using: &self.random) < 0.002 {
                self.strayed = Int.random(in: 1...4, using: &self.random)
            }
            let stray = self.strayed > 0 ? 300.0 : 0
            // At 53.55° north; 1e-7 degree of latitude is 11.1 mm.
            let (latitude, longitude) = (north + self.error() + stray, (east + self.error()) / 0.594)
            return Fix(
                latitude: 535_500_000 + Int32((latitude / 0.0111).rounded()),
                longitude: 100_000_000 + Int32((longitude / 0.0111).rounded()),
                horizontalAccuracy: Int32(self.accuracy * 1000),
                time: WallTime(seconds: 0),
                arrival: second(0)
            )
        }

        /// Irwin-Hall: the sum of twelve uniform draws is close to a normal distribution.
        private mutating func error() -> Double {
            let sum = (0..<12).reduce(0.0) { sum, _ in sum + Double.random(in: 0..<1, using: &self.random) } - 6
            // The radius of two thirds of normal errors in two directions is 1.5 of their deviation in one.
            return sum * self.accuracy / 1.5
        }
    }

    /// The seconds in which a stay must be detected: two periods, since the circle of the last steps may be dropped
    /// late, and a minute for outliers.
    private static let patience = 660

    @Test(arguments: [3, 5, 8, 20] as [Double], 1...6 as ClosedRange<UInt64>)
    func aStayIsOneStillnessAndAWalkIsNone(_ accuracy: Double, _ seed: UInt64) {
        let policy = Policy()
        var machine = StationaryPause(rule: policy.stillness, patience: policy.departurePatience)
        var receiver = Receiver(accuracy: accuracy, seed: seed)
        var (now, north, east) = (0, 0.0, 0.0)
        for _ in 0..<3 {
            let steps = Int.random(in: 200...400, using: &receiver.random)
            let speed = Double.random(in: 0.7...1.8, using: &receiver.random)
            let share = Double.random(in: 0...1, using: &receiver.random)
            let isNorthward = Bool.random(using: &receiver.random)
            // The way out of a stay: its radius, the receiver's error, and the waiting period.
            let leaves = Int((max(25, 2 * accuracy) + 2 * accuracy) / speed) + 15
            for step in 0..<steps {
                north += speed * (isNorthward ? share : -share)
                east += speed * (1 - share * share).squareRoot()
                now += 1
                machine.fixReceived(receiver.fix(north: north, east: east), now: second(now))
                if machine.isStill, step > leaves { Issue.record("still \(step) s into a walk at \(speed) m/s") }
            }
            var hasBeenStill = false
            for stayed in 0..<3600 {
                now += 1
                machine.fixReceived(receiver.fix(north: north, east: east), now: second(now))
                hasBeenStill = hasBeenStill || machine.isStill
                if !machine.isStill, hasBeenStill || stayed > Self.patience {
                    Issue.record("moves \(stayed) s into a stay after a walk at \(speed) m/s")
                    return
                }
            }
        }
    }
}
