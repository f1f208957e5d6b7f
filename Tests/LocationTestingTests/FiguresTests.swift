internal import WhereaboutsLocationTesting

@Suite struct FiguresTests {
    @Test func medianAndWorstOfAllSeeds() {
        let figures = Figures.over(seeds: 1...5) { seed in [30, 10, 20, 50, 40][Int(seed) - 1] }
        #expect(figures.median == 30 && figures.worst == 50)
        #expect(figures.quantile(0).value == 10 && figures.quantile(0.8).value == 40 && figures.quantile(1).seed == 4)
        #expect("\(figures)" == "5 seeds: median 30, worst 50 (seed 4)")
    }

    /// A seed without any event is worse than every value.
    @Test func aSeedWithoutAValueIsTheWorst() {
        let figures = Figures.over(seeds: 7...10) { seed in seed == 8 ? nil : Duration.seconds(Int(seed)) }
        #expect(figures.median == .seconds(9) && figures.worst == nil)
        #expect("\(figures)" == "4 seeds: median 9.0 seconds, worst did not happen (seed 8)")
    }

    @Test func theExampleOfTheGuide() throws {
        let delays = Figures.over(seeds: 1...20) { seed in
            let device = VirtualDevice(seed: seed)
            let app = device.install(.weather)
            device.person.answersAll(.allowWhileUsing)
            device.person.open(app)
            device.run(until: "it is served") { app.isServed }
            return device.now
        }
        #expect(try #require(delays.worst) < .seconds(30), "\(delays)")
    }

    @Test func eachSeedHasItsDevice() {
        let ways = Figures.over(seeds: 1...3) { seed in
            let device = VirtualDevice(seed: seed)
            device.world.walk(for: .seconds(600))
            device.advance(by: .seconds(600))
            return device.world.distance()
        }
        #expect(Set(ways.all.compactMap(\.value)).count == 3, "\(ways)")
    }
}
