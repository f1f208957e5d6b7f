internal import Foundation
internal import Glibc
internal import Synchronization
internal import Testing

/// Watches the devices of this process in real time, and reports the devices that hang, and why (ADR 0027).
///
/// ```
///   pumped, and one job does not end ──▶ reported ──▶ the process is ended on the pump's thread, so that a backtrace shows the line
///   not pumped, and apps wait        ──▶ reported ──▶ the process is ended, once nothing in it has run for 30 s
/// ```
/// It counts ticks instead of time: a process that a debugger stopped has no ticks.
final class Watchdog: Sendable {
    static let shared = Watchdog()

    /// How long the watchdog waits before it acts.
    struct Patience: Sendable {
        var tick = Duration.seconds(1)
        /// Ticks before the first report.
        var ticksBeforeWord = 5
        /// Ticks of one job before the process is ended; longer than the wait for an app in a separate process.
        var ticksOfJob = Int(SeparateProcess.patience) / 1000 + 10
        /// Ticks without any work in the process before it is ended.
        var ticksOfStillness = 30
    }

    /// The watchdog's record of one device.
    fileprivate struct Watched {
        let vitals: Vitals
        let madeAt: SourceLocation
        var pulse = 0
        var pumps = 0
        var ticks = 0
    }

    fileprivate struct State {
        var patience = Patience()
        var watched: [UInt64: Watched] = [:]
        var hasThread = false
    }

    private let state = Mutex(State())

    func watch(_ vitals: Vitals, madeAt line: SourceLocation) {
        let isFirst = self.state.withLock { state in
            state.watched[vitals.number] = Watched(vitals: vitals, madeAt: line)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if isFirst { Thread.detachNewThread { self.run() } }
    }

    /// Stops watching a device: its test is over.
    func leave(_ vitals: Vitals) { self.state.withLock { _ = $0.watched.removeValue(forKey: vitals.number) } }

    /// Sets other times, for the tests of the watchdog.
    func set(_ patience: Patience) { self.state.withLock { $0.patience = patience } }

    // MARK: Checks

    private func run() -> Never {
        var worked = clock()
        while true {
            let tick = self.state.withLock { $0.patience.tick }
            Thread.sleep(forTimeInterval: tick / .seconds(1))
            let now = clock()
            // Idle: the process used less than a tenth of one core since the last tick.
            let isIdle = Double(now - worked) / Double(CLOCKS_PER_SEC) < tick / .seconds(10)
            worked = now
            for line in self.state.withLock({ $0.look(isIdle: isIdle) }) { Reporter.say(line) }
        }
    }
}

extension Watchdog.State {
    /// Looks at every device; returns the messages.
    fileprivate mutating func look(isIdle: Bool) -> [String] {
        if CodeLine.isSearching { return [] }
        let signs = self.watched.mapValues(\.vitals.signs)
        let isPumping = signs.values.contains { $0.pump != nil }
        var words: [String] = []
        for number in self.watched.keys.sorted() {
            guard var watched = self.watched[number], let signs = signs[number] else { continue }
            defer { self.watched[number] = watched }
            guard watched.pulse == signs.pulse, watched.pumps == signs.pumps else {
                (watched.pulse, watched.pumps, watched.ticks) = (signs.pulse, signs.pumps, 0)
                continue
            }
            if let pump = signs.pump {
                watched.ticks += 1
                if watched.ticks == self.patience.ticksBeforeWord { words.append(self.ofAJob(signs)) }
                // Repeat the signal at each tick. The first one is caught to print a backtrace, and the job continues after that.
                if watched.ticks >= self.patience.ticksOfJob { pthread_kill(pump, SIGTRAP) }
            } else if signs.hasWaiters, isIdle, !isPumping {
                watched.ticks += 1
                if watched.ticks == self.patience.ticksBeforeWord {
                    words.append(self.ofStillness(signs, watched.madeAt))
                }
                if watched.ticks >= self.patience.ticksOfStillness { kill(getpid(), SIGTRAP) }
            }
        }
        return words
    }

    private func ofAJob(_ signs: Vitals.Signs) -> String {
        let rest = self.patience.tick * (self.patience.ticksOfJob - self.patience.ticksBeforeWord)
        return
            "one job of \(signs.process) has run for \(self.patience.tick * self.patience.ticksBeforeWord) of real time, in the "
            + "call at \(Self.words(signs.call)). It is in a loop without an end, or waits for something that cannot come "
            + "meanwhile (a lock, a read, DispatchQueue.sync): all code of a device shares one thread, so await instead. In "
            + "\(rest) the process of the tests is ended, with a backtrace that shows the line of the app."
    }

    private func ofStillness(_ signs: Vitals.Signs, _ madeAt: SourceLocation) -> String {
        let rest = self.patience.tick * (self.patience.ticksOfStillness - self.patience.ticksBeforeWord)
        return "apps on the device made at \(Self.words(madeAt)) wait for time to pass, and the test moved it last at "
            + "\(Self.words(signs.call)). A test that awaits a task of an app waits forever: call advance(by:) or "
            + "run(until:) first, and await afterwards. After \(rest) without any work the process of the tests is ended."
    }

    private static func words(_ line: SourceLocation?) -> String {
        line.map { "\($0.fileID):\($0.line)" } ?? "no line"
    }
}
