internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationSources

@Suite struct TrackEndsTests {
    private static let metresPerDegree = 111_195.0

    /// A fix at this distance north of home.
    private static func fix(_ metres: Double, at second: Double, accuracy: Double = 5) -> SourceFix {
        SourceFix(
            latitude: 50 + metres / self.metresPerDegree,
            longitude: 8,
            horizontalAccuracy: accuracy,
            time: second
        )
    }

    /// The distances from home of the written fixes, and the number of others.
    private static func written(_ way: [Double], seed: UInt64 = 1) -> (metres: [Double], leftOut: Int) {
        var random = SeededGenerator(seed: seed)
        var ends = TrackEnds(using: &random)
        let fixes = way.enumerated().flatMap { ends.received(Self.fix($0.element, at: Double($0.offset))) }
        #expect(fixes.map(\.time) == fixes.map(\.time).sorted { ($0 ?? 0) < ($1 ?? 0) })
        return (fixes.map { ($0.latitude - 50) * Self.metresPerDegree }, ends.leftOutCount)
    }

    private static let there = Array(stride(from: 0.0, through: 3000, by: 10))

    /// Goal: fixes near the first or the last one are not written, and all between them are.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func bothEndsAreLeftOut(_ seed: UInt64) throws {
        let (metres, leftOut) = Self.written(Self.there, seed: seed)
        let (first, last) = (try #require(metres.first), try #require(metres.last))
        #expect((250...520).contains(first) && (2488...2750).contains(last))
        #expect(metres.count == Int(((last - first) / 10).rounded()) + 1)
        #expect(metres.count + leftOut == Self.there.count)
    }

    @Test func theRadiiDifferFromRecordingToRecording() {
        let firsts = Set((1...20).map { Self.written(Self.there, seed: $0).metres.first.map { Int($0.rounded()) } })
        #expect(firsts.count > 5)
    }

    /// Goal: the way back home after an hour elsewhere reveals home as little as the way from it.
    @Test func theWayBackIsLeftOutNearHomeToo() throws {
        let stay = Array(repeating: 3000.0, count: 3600)
        let metres = Self.written(Self.there + stay + Self.there.reversed()).metres
        #expect(metres.count > 3600 && metres.contains { abs($0 - 3000) < 1 })
        #expect(metres.allSatisfy { $0 > 250 })
        let passing = Self.written(Self.there + Self.there.reversed() + Self.there.map { -$0 }).metres
        #expect(passing.allSatisfy { abs($0) > 250 } && passing.contains { $0 < -2000 })
    }

    /// Goal: home is left out even if the first fix of a receiver that was just switched on is beside it.
    @Test func aPoorFirstFixWidensTheStart() {
        var random = SeededGenerator(seed: 1)
        var ends = TrackEnds(using: &random)
        #expect(ends.received(Self.fix(700, at: 0, accuracy: 500)).isEmpty)
        let fixes = Self.there.enumerated().flatMap { ends.received(Self.fix($0.element, at: Double($0.offset) + 1)) }
        #expect(!fixes.isEmpty && fixes.allSatisfy { ($0.latitude - 50) * Self.metresPerDegree > 1400 })
    }

    @Test func aRecordingThatStaysHasNothing() {
        let (metres, leftOut) = Self.written(
            Array(repeating: 0, count: 100) + Array(stride(from: 0, through: 240, by: 10))
        )
        #expect(metres.isEmpty && leftOut == 125)
    }

    /// Goal: home is left out although the recording passed it long before ending there; the file has a gap.
    @Test func anEarlierPassOfTheEndIsRemoved() throws {
        var random = SeededGenerator(seed: 1)
        var (ends, writer) = (TrackEnds(using: &random), GPXWriter())
        // From 3 km south of home to 3 km north, and back home.
        let way = Self.there.map { $0 - 3000 } + Self.there + Self.there.reversed()
        let fixes = way.enumerated().flatMap { ends.received(Self.fix($0.element, at: Double($0.offset))) }
        let text = GPXWriter.header(creator: "test") + fixes.map { writer.point($0) }.joined()
        let before = try GPXDocument((text + GPXWriter.footer).utf8).points
        #expect(before.contains { abs($0.latitude - 50) * Self.metresPerDegree < 20 })
        var remover = PassRemover(ends)
        let kept = text.split(separator: "\n").map { remover.lines(for: String($0)) }.joined()
        let points = try GPXDocument((kept + GPXWriter.footer).utf8).points
        #expect(points.allSatisfy { abs($0.latitude - 50) * Self.metresPerDegree > 250 })
        #expect(remover.count > 40 && points.count == before.count - remover.count)
        #expect(points.filter(\.beginsSegment).map { $0.latitude > 50 } == [false, true])
        #expect(kept.hasPrefix(GPXWriter.header(creator: "test")))
    }

    /// Goal: a device that stays at a place for days uses no more memory.
    @Test func theHeldFixesAreBounded() {
        var random = SeededGenerator(seed: 1)
        var ends = TrackEnds(using: &random)
        _ = ends.received(Self.fix(0, at: 0))
        for second in 1...TrackEnds.heldMax { #expect(ends.received(Self.fix(1000, at: Double(second))).isEmpty) }
        let most = ends
        #expect(ends.received(Self.fix(1000, at: 1e6)).isEmpty)
        var (before, after) = (most, ends)
        #expect(before.received(Self.fix(5000, at: 2e6)).count == TrackEnds.heldMax)
        #expect(after.received(Self.fix(5000, at: 2e6)).count == TrackEnds.heldMax / 2 + 1)
        #expect(after.leftOutCount == TrackEnds.heldMax / 2 + 2)
    }
}
