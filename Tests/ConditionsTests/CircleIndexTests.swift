internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

@testable import WhereaboutsConditions

/// The index against the obvious search through all circles.
@Suite struct CircleIndexTests {
    static let seeds: Range<UInt64> = 0..<6

    @Test(arguments: Self.seeds) func containsAsBruteForceDoes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var world = World(generator.circles(150))
        for step in 0..<150 {
            let point = try world.interestingPoint(&generator)
            let found = world.slots(containing: point)
            let expected = world.circles.keys.filter { world.circles[$0]?.contains(point) == true }
            #expect(found == expected.sorted(), "\(point)")
            // Circles come and go meanwhile; slots are used again.
            let slot = Int32(step)
            world.remove(slot)
            if step.isMultiple(of: 2) { world.insert(generator.circle(), slot: slot) }
        }
    }

    @Test(arguments: Self.seeds) func theNearestBoundaryIsThatOfBruteForce(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let world = World(generator.circles(100))
        for _ in 0..<100 {
            let point = try world.interestingPoint(&generator)
            let nearest = world.circles.values.map { abs($0.distance(to: point) - $0.radius) }.min() ?? .max
            #expect(world.index.nearestBoundary(to: point) == min(nearest, 50_000_000), "\(point)")
        }
    }

    @Test(arguments: Self.seeds) func manyCirclesAboutMakeABoundNotAnError(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let home = generator.point()
        let circles = (0..<600).compactMap { _ in
            ConditionCircle(
                center: home.moved(.random(in: 0...4000, using: &generator), azimuth: generator.azimuth()),
                radius: .random(in: 1...1_000_000, using: &generator)
            )
        }
        let world = World(circles)
        for _ in 0..<20 {
            let point = home.moved(.random(in: 0...20_000, using: &generator), azimuth: generator.azimuth())
            let nearest = world.circles.values.map { abs($0.distance(to: point) - $0.radius) }.min() ?? .max
            let told = world.index.nearestBoundary(to: point)
            #expect(told <= nearest)
            #expect(told == nearest || CircleIndex.margins.contains(told) || told == 0)
        }
    }

    @Test func aCircleHasFourCellsAtMost() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<5_000 {
            let circle = generator.circle()
            var grid = CellGrid(margin: 0)
            #expect((1...4).contains(grid.cells(of: circle).count))
            grid.insert(circle, slot: 0)
            grid.remove(circle, slot: 0)
            #expect(grid.isEmpty)
        }
    }

    @Test func circlesAboutPolesAndTheDateLineAreFound() throws {
        let pole = QuantizedCoordinate(latitude: 900_000_000, longitude: 0)
        let line = QuantizedCoordinate(latitude: 0, longitude: 1_799_999_999)
        for center in [pole, QuantizedCoordinate(latitude: -900_000_000, longitude: 5), line] {
            var index = CircleIndex()
            index.insert(try #require(ConditionCircle(center: center, radius: 100_000)), slot: 7)
            for azimuth in stride(from: -180.0, through: 180, by: 15) {
                var found: [Int32] = []
                index.forEachSlot(containing: center.moved(99, azimuth: azimuth)) { found.append($0) }
                #expect(found == [7])
                index.forEachSlot(containing: center.moved(101, azimuth: azimuth)) { found.append($0) }
                #expect(found == [7])
                #expect(abs(index.nearestBoundary(to: center.moved(130, azimuth: azimuth)) - 30_000) < 30)
            }
        }
    }

    @Test func aSlotInUseTraps() async {
        await #expect(processExitsWith: .failure) {
            let center = QuantizedCoordinate(latitude: 0, longitude: 0)
            guard let circle = ConditionCircle(center: center, radius: 1) else { return }
            var index = CircleIndex()
            index.insert(circle, slot: 0)
            index.insert(circle, slot: 0)
        }
    }

    @Test(arguments: [0, -1, .min, .max, ConditionCircle.radiusMillimetersMax + 1] as [Int64])
    func radiiThatNoBoundaryHasAreRefused(radius: Int64) {
        #expect(ConditionCircle(center: QuantizedCoordinate(latitude: 0, longitude: 0), radius: radius) == nil)
    }
}

/// An index, and its circles beside it.
private struct World {
    private(set) var index = CircleIndex()
    private(set) var circles: [Int32: ConditionCircle] = [:]

    init(_ circles: [ConditionCircle]) {
        for (slot, circle) in circles.enumerated() { self.insert(circle, slot: Int32(slot)) }
    }

    mutating func insert(_ circle: ConditionCircle, slot: Int32) {
        self.index.insert(circle, slot: slot)
        self.circles[slot] = circle
    }

    mutating func remove(_ slot: Int32) {
        self.index.remove(slot: slot)
        self.circles[slot] = nil
    }

    func slots(containing point: QuantizedCoordinate) -> [Int32] {
        var found: [Int32] = []
        self.index.forEachSlot(containing: point) { found.append($0) }
        return found.sorted()
    }

    /// A point anywhere, or close to the boundary of one of the circles.
    func interestingPoint(_ generator: inout SeededGenerator) throws -> QuantizedCoordinate {
        let slots = self.circles.keys.sorted()
        guard Bool.random(using: &generator), let slot = slots.randomElement(using: &generator) else {
            return generator.point()
        }
        let circle = try #require(self.circles[slot])
        let error = Double.random(in: -2...2, using: &generator)
        return circle.center.moved(Double(circle.radius) / 1000 + error, azimuth: generator.azimuth())
    }
}

extension SeededGenerator {
    fileprivate mutating func circles(_ count: Int) -> [ConditionCircle] {
        (0..<count).map { _ in self.circle() }
    }
}
