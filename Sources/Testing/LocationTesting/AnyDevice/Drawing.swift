internal import WhereaboutsVocabulary

/// Draws troubles from a seed, one after the other, among those that are possible.
///
/// Each seed leaves out half of the kinds (swarm testing): a trouble that is always mixed with all others is never seen alone. Answers to
/// questions are never left out, as everything else depends on them.
struct Drawing: Sendable {
    private static let spans: [Duration] = [.seconds(5), .seconds(60), .seconds(600), .seconds(3600)]

    private var random: SeededGenerator
    private let kinds: [Trouble.Kind]
    /// The troubles that happen before any is drawn.
    private(set) var hints: [Trouble]
    /// The number of troubles that may still be drawn.
    private var left: Int

    init(seed: UInt64, kinds: Set<Trouble.Kind>, hints: [Trouble], eventsMax: Int) {
        var random = SeededGenerator(seed: seed ^ 0x7374_6F72_7921)
        self.kinds = Trouble.Kind.allCases.filter { kind in
            // Drawn for each kind, so that excluding one more kind does not change the others.
            let isDrawn = Bool.random(using: &random)
            return kinds.contains(kind) && (isDrawn || kind == .answer)
        }
        self.hints = hints
        self.left = Int.random(in: 0...max(0, eventsMax), using: &random)
        self.random = random
    }

    /// The time to the next trouble; nil: nothing happens any more.
    ///
    /// Times are drawn over all orders of magnitude: races need milliseconds, lapses need an hour.
    mutating func pause() -> Duration? {
        if !self.hints.isEmpty { return .seconds(1) }
        guard self.left > 0 else { return nil }
        let most = Int.random(in: 4...20, using: &self.random)
        return .milliseconds(Int.random(in: 1...(1 << most), using: &self.random))
    }

    /// The trouble of this moment; nil: none.
    mutating func next(in scene: Scene) -> Trouble? {
        if let hint = self.hints.first {
            guard scene.allows(hint) else { return nil }
            return self.hints.removeFirst()
        }
        guard self.left > 0 else { return nil }
        let possible = self.kinds.compactMap { kind -> Trouble? in
            // These are drawn when a question appears or an extension begins.
            let isMomentary = kind == .answer || kind == .cutExtension
            return isMomentary ? nil : self.draw(kind, in: scene)
        }
        .filter(scene.allows)
        guard let trouble = possible.randomElement(using: &self.random) else { return nil }
        self.left -= 1
        return trouble
    }

    /// The trouble of the moment in which a question appeared or an extension began; nil: none.
    mutating func next(of kind: Trouble.Kind, in scene: Scene) -> Trouble? {
        if let hint = self.hints.first {
            guard hint.kind == kind, scene.allows(hint) else { return nil }
            return self.hints.removeFirst()
        }
        guard self.kinds.contains(kind), let trouble = self.draw(kind, in: scene) else { return nil }
        return scene.allows(trouble) ? trouble : nil
    }

    /// The time from a moment to its trouble; nil: no trouble follows.
    mutating func delay(of kind: Trouble.Kind) -> Duration? {
        switch kind {
        // One person in eight does not answer, unless the test has hints. The others take time to read.
        case .answer where self.hints.isEmpty && Int.random(in: 0..<8, using: &self.random) == 0: nil
        case .answer: .milliseconds(Int.random(in: 500...8000, using: &self.random))
        // One push in four ends the extension early, at a random time within its 30 s.
        default:
            self.kinds.contains(kind) && Int.random(in: 0..<4, using: &self.random) == 0
                ? .milliseconds(Int.random(in: 1...30_000, using: &self.random)) : nil
        }
    }

    private mutating func span() -> Duration {
        let most = Self.spans.randomElement(using: &self.random) ?? .seconds(5)
        return .seconds(Int.random(in: 1...Int(most.components.seconds), using: &self.random))
    }

    private mutating func draw(_ kind: Trouble.Kind, in scene: Scene) -> Trouble? {
        // All are drawn in any case, so that each kind consumes the same random numbers.
        guard let app = scene.apps.randomElement(using: &self.random)?.bundle else { return nil }
        let answer = Person.Answer.allCases.randomElement(using: &self.random) ?? .dontAllow
        let setting = Person.Setting.allCases.randomElement(using: &self.random) ?? .never
        let quirk = Quirk.allCases.randomElement(using: &self.random) ?? .repeatsUpdates
        let end = VirtualDevice.ServiceEnd.allCases.randomElement(using: &self.random) ?? .killed
        let flag = Bool.random(using: &self.random)
        let (span, other) = (self.span(), self.span())
        return switch kind {
        case .answer: scene.asking.map { .answer($0, answer) }
        case .set: .set(app, setting)
        case .setPrecise: .setPrecise(app, flag)
        case .open: .open(app)
        case .leave: .leave(app)
        case .close: .close(app)
        case .lock: .lock(for: span)
        case .locationServicesOff: .locationServicesOff(for: span)
        case .airplaneMode: .airplaneMode(for: span)
        case .lowPowerMode: .lowPowerMode(for: span)
        case .backgroundRefreshOff: .backgroundRefreshOff(app, for: span)
        case .moveClock: .moveClock(by: flag ? span : .zero - span)
        case .suspend: .suspend(app, for: span)
        case .terminate: .terminate(app)
        case .terminateAtAwait: nil
        case .crash: .crash(app)
        case .update: .update(app)
        case .offload: .offload(app)
        case .cutExtension: scene.apps.first { $0.extensionRuns }.map { .cutExtension($0.bundle) }
        case .serviceDown: .serviceDown(end, for: span)
        case .reboot: .reboot(offFor: span, lockedFor: flag ? other : .zero)
        case .signalLost: .signalLost(for: span)
        case .stray: .stray(metres: flag ? 300 : 30_000, for: span)
        case .quirk: .quirk(quirk)
        case .pushesDoubled: .pushesDoubled(for: span)
        case .pushesDelayed: .pushesDelayed(by: other, for: span)
        case .pushesLost: .pushesLost(for: span)
        case .newPushTokens: .newPushTokens
        case .pushBudgetSpent: .pushBudgetSpent
        }
    }
}
