internal import Foundation
internal import WhereaboutsPushEngine

/// One run of an attack: the honest party's figures before, under and after it.
struct Trial: Sendable, CustomStringConvertible {
    /// The shares of the actions that must not be late; each has a time that is never late, however fast the actions
    /// are without an attack.
    ///
    /// A machine with two processors runs the attacker and all its targets, and its scheduler delays single processes by
    /// tens of milliseconds. The 99th percentile of a few hundred actions shows these delays: 9 to 44 ms for a quiet
    /// gateway, 24 to 95 ms under the same attack in two runs. The median does not: 2 to 4 ms, and at most 8 ms under an
    /// attack. So its limit is lower.
    static let shares: [(share: Double, name: String, neverLate: Duration)] = [
        (0.5, "p50", .milliseconds(20)), (0.99, "p99", .milliseconds(100)),
    ]
    /// The least pause between two honest actions.
    private static let pauseMin = Duration.milliseconds(5)

    /// The attack's name.
    let name: String
    /// The report of the attacker.
    let attempts: String
    /// The honest party before, under and after the attack.
    let quiet, under, after: Figures
    /// The memory of the processes in bytes: before, at most, and at the end.
    let memory: (quiet: Int, most: Int, after: Int)

    /// Runs an attack in a new scene.
    static func run<A: Attack>(_ attack: A.Type, _ bounds: @escaping @Sendable () -> Bounds) async throws -> Trial {
        let scene = try await A.Scene.start()
        do {
            let trial = try await self.run(attack, in: scene, bounds)
            await scene.stop()
            return trial
        } catch {
            await scene.stop()
            throw error
        }
    }

    private static func run<A: Attack>(
        _ attack: A.Type,
        in scene: A.Scene,
        _ bounds: @escaping @Sendable () -> Bounds
    ) async throws -> Trial {
        // The first actions open connections and load code.
        for _ in 0..<20 { try await scene.honestAction() }
        let time = bounds().duration
        // A gateway accepts this many pushes for a device in a row, then few; the honest provider sends fewer in the whole trial.
        let pause = max(self.pauseMin, time * 2 / ValidPush.tokenBurst)
        let (quiet, before) = await self.measure(scene, for: time / 2, pause)
        let strike = Task { try await attack.strike(scene, bounds()) }
        let (under, most) = await self.measure(scene, for: time, pause)
        let attempts = try await strike.value
        let (after, end) = await self.measure(scene, for: time / 2, pause)
        return Trial(
            name: attack.name,
            attempts: attempts,
            quiet: quiet,
            under: under,
            after: after,
            memory: (before, max(most, end), self.memory(of: scene))
        )
    }

    /// Performs honest actions for a while, and measures the memory after each action.
    private static func measure(
        _ scene: some AttackScene,
        for time: Duration,
        _ pause: Duration
    ) async -> (Figures, memory: Int) {
        let end = ContinuousClock.now + time
        var figures = Figures()
        var most = self.memory(of: scene)
        while ContinuousClock.now < end {
            let start = ContinuousClock.now
            do {
                try await scene.honestAction()
                figures.succeeded(after: start.duration(to: .now))
            } catch {
                figures.failed(error)
            }
            most = max(most, self.memory(of: scene))
            try? await Task.sleep(for: pause)
        }
        return (figures, most)
    }

    /// The resident bytes of all processes of a scene.
    private static func memory(of scene: some AttackScene) -> Int {
        scene.pids.map { pid in
            let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
            return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
        }.reduce(0, +)
    }

    /// The broken promises: an action that failed or was late, or memory that doubled.
    var complaints: [String] {
        var complaints: [String] = []
        for (phase, figures) in [("before", self.quiet), ("under", self.under), ("after", self.after)] {
            if !figures.failures.isEmpty { complaints.append("\(figures.failures.count) actions failed \(phase) it") }
            if figures.times.isEmpty { complaints.append("no action succeeded \(phase) it") }
        }
        for (share, name, neverLate) in Self.shares {
            let limit = max(self.quiet.quantile(share) * 5, neverLate)
            for (phase, figures) in [("under", self.under), ("after", self.after)]
            where figures.quantile(share) > limit {
                complaints.append("\(name) \(phase) it is more than \(Figures.text(limit))")
            }
        }
        if self.memory.most > 2 * self.memory.quiet {
            complaints.append("memory grew from \(self.memory.quiet >> 20) to \(self.memory.most >> 20) MiB")
        }
        return complaints
    }

    /// The whole result, for people.
    var description: String {
        """
        \(self.name): \(self.complaints.isEmpty ? "held" : "BROKEN: " + self.complaints.joined(separator: "; "))
          attacker: \(self.attempts)
          before:   \(self.quiet)
          under:    \(self.under)
          after:    \(self.after)
          memory:   \(self.memory.quiet >> 20) MiB before, \(self.memory.most >> 20) at most, \
        \(self.memory.after >> 20) at the end
        """
    }
}
