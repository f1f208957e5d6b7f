internal import Testing

@testable internal import WhereaboutsLocationTesting

@Suite struct DrawingTests {
    private static let scene: Scene = {
        var scene = Scene()
        scene.apps = [
            Scene.App(bundle: "a", isRunning: true, isForeground: true),
            Scene.App(bundle: "b", isRunning: true, hasExtension: true, extensionRuns: true),
        ]
        scene.asking = "a"
        return scene
    }()

    private static func draw(_ seed: UInt64, hints: [Trouble] = []) -> [Trouble] {
        var drawing = Drawing(seed: seed, kinds: Set(Trouble.Kind.allCases), hints: hints, eventsMax: 12)
        var troubles: [Trouble] = []
        while drawing.pause() != nil {
            if let trouble = drawing.next(in: Self.scene) { troubles.append(trouble) }
        }
        return troubles + [Trouble.Kind.answer, .cutExtension].compactMap { drawing.next(of: $0, in: Self.scene) }
    }

    @Test func everyTroubleIsDrawnAndPossible() {
        let drawn = (1...300).flatMap { Self.draw($0) }
        #expect(Set(drawn.map(\.kind)) == Set(Trouble.Kind.allCases).subtracting([.terminateAtAwait]))
        #expect(drawn.allSatisfy(Self.scene.allows))
    }

    @Test func aSeedDrawsTheSameAgain() {
        for seed in UInt64(1)...20 { #expect(Self.draw(seed) == Self.draw(seed)) }
        #expect(Self.draw(3) != Self.draw(4))
    }

    @Test func aSeedLeavesKindsOut() {
        #expect((1...50).allSatisfy { Set(Self.draw($0).map(\.kind)).count < Trouble.Kind.allCases.count / 2 + 6 })
    }

    @Test func hintsComeFirst() {
        let hints = [Trouble.answer("a", .allowAlways), .lock(for: .seconds(5))]
        for seed in UInt64(1)...20 { #expect(Array(Self.draw(seed, hints: hints).prefix(2)) == hints) }
    }

    @Test func nothingIsPossibleOnADeviceWithoutApps() {
        var drawing = Drawing(seed: 1, kinds: Set(Trouble.Kind.allCases), hints: [], eventsMax: 12)
        #expect(drawing.next(in: Scene()) == nil)
    }
}
