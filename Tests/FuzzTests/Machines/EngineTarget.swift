internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Feeds any sequence of inputs to the engine, including extreme numbers, unknown names and wrong orders.
///
/// Sometimes it restarts from its saved state, or from a file with any content.
struct EngineTarget: FuzzTarget {
    /// Stories of about sixty inputs.
    var seeds: [[UInt8]] { Self.stories(1...8) }

    /// The beginning of every story: a visible app with every permission, which reads updates and accepts pushes.
    ///
    /// Without it, most stories would be about an app without permissions.
    static let beginning: [Engine.Input] = [
        .appInstalled(
            Draw.first,
            AppManifest(
                explainsWhenInUse: true,
                explainsAlways: true,
                purposes: ["Navigation"],
                mayRunInBackground: true,
                mayReceiveLocationPushes: true,
                hasPushEnvironment: true,
                hasPushExtension: true
            )
        ),
        .authorizationSet(Draw.first, .always),
        .clientConnected(ClientID(1), Principal(bundle: Draw.first, role: .app), Lifecycle.Arrival(isManaged: true)),
        .clientDeclared(
            ClientID(1),
            Declaration(sessions: [.init(id: 1, requirement: .always)], streams: [.init(id: 2)])
        ),
        .pushTokenRequested(ClientID(1), request: 1), .pushTokenReceived(Draw.first, [1]),
    ]

    static func stories(_ seeds: ClosedRange<UInt64>) -> [[UInt8]] {
        seeds.map { seed in
            var random = SeededGenerator(seed: seed)
            return (0..<600).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        }
    }

    func check(_ input: [UInt8]) throws -> Bool {
        var (draw, clocks) = (Draw(input), DrawnClocks())
        var engine = Engine(policy: Policy(), now: clocks.now)
        _ = engine.start(now: clocks.now)
        var (manifests, count) = ([(BundleID, AppManifest)](), 0)
        while !draw.isOver {
            if draw.rarely(64) {
                engine = Self.restored(engine, manifests, &draw, clocks.now)
                _ = engine.start(now: clocks.now)
            }
            let fact = count < Self.beginning.count ? Self.beginning[count] : draw.input(now: clocks.now)
            if case .appInstalled(let bundle, let manifest) = fact { manifests.append((bundle, manifest)) }
            let before = engine
            do throws(Unreachable) {
                draw.heard(try engine.handle(fact, now: clocks.now))
            } catch {
                try Finding.unless(engine == before, "the engine refused an input and changed: \(error.reason)")
            }
            try Self.settle(&engine, clocks.now)
            clocks.pass(&draw)
            count += 1
        }
        return count > Self.beginning.count
    }

    /// Handles all deadlines that have passed.
    ///
    /// A deadline that stays would keep its host busy forever.
    private static func settle(_ engine: inout Engine, _ now: Now) throws {
        for _ in 0..<64 {
            guard engine.isDue(now: now.monotonic) else { return }
            _ = try engine.handle(.deadlineReached, now: now)
        }
        throw Finding("a deadline does not pass")
    }

    private static func restored(
        _ engine: Engine,
        _ manifests: [(BundleID, AppManifest)],
        _ draw: inout Draw,
        _ now: Now
    ) -> Engine {
        var snapshot = engine.snapshot(now: now.monotonic)
        if draw.bool() {
            snapshot.pushesRemaining = draw.number()
            snapshot.budgetExhausted = draw.bool()
            snapshot.refillMilliseconds = draw.number()
            snapshot.recentPushes = draw.some(3) { draw in draw.some(3) { $0.number() } }
            for index in snapshot.apps.indices { snapshot.apps[index].backgroundSessions = draw.number() }
            for index in snapshot.shares.indices { snapshot.shares[index].owedMilliseconds = draw.number() }
        }
        return Engine(
            restoring: snapshot,
            manifests: manifests,
            running: draw.some(2) { ($0.bundle(), $0.phase()) },
            policy: Policy(),
            elapsed: draw.duration(),
            now: now
        )
    }
}

extension Draw {
    /// Remembers what was started and what was asked.
    fileprivate mutating func heard(_ effects: [Engine.Effect]) {
        for effect in effects {
            switch effect {
            case .process(.launchExtension(let bundle, let launch)): self.extensionProcess = (bundle, launch)
            case .people(.presentPrompt(let prompt)): self.prompt = prompt.id
            default: break
            }
        }
    }
}
