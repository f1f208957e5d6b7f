internal import WhereaboutsVocabulary

/// A machine: its disk stays when it dies; everything in memory is lost.
///
/// A subclass holds durable state, changes it only within ``write(_:)``, and starts again from that state in ``boot()``.
class Node {
    /// The process dies at this point; the code after it does not run.
    struct Killed: Error {}
    /// The write failed; the process continues.
    struct DiskFull: Error {
        /// Whether the write may still be on disk after a failed `fsync`; the next start shows it.
        var mayBeThere = false
    }

    let id: NodeID
    unowned let world: Simulation
    private(set) var isUp = false
    /// The number of the process's life, so that events planned in an earlier life do not happen in a later one.
    private(set) var life: UInt64 = 0
    /// The wall clock's error; positive: it is ahead.
    var clockError: Duration = .zero
    /// Until when each received message is handled late, and by how much.
    private var slow: (until: Instant, by: Duration) = (.start, .zero)
    /// Until when the disk is full.
    private var fullUntil = Instant.start
    /// Until when each `fsync` fails.
    private var failsUntil = Instant.start
    private(set) var writes = 0

    init(_ id: NodeID, _ world: Simulation) {
        self.id = id
        self.world = world
    }

    var slowness: Duration { self.world.now < self.slow.until ? self.slow.by : .zero }
    var isDiskFull: Bool { self.world.now < self.fullUntil }

    final func slow(until end: Instant, by delay: Duration) { self.slow = (end, delay) }

    final func fillDisk(until end: Instant) { self.fullUntil = max(self.fullUntil, end) }

    final func failDisk(until end: Instant) { self.failsUntil = max(self.failsUntil, end) }

    /// Ends all faults of the machine.
    final func heal() {
        self.slow = (.start, .zero)
        self.fullUntil = .start
        self.failsUntil = .start
        self.clockError = .zero
    }

    /// Whether a write whose `fsync` failed may be found at the next start; false for a store that undoes the whole transaction.
    var mayLeaveUnsynced: Bool { false }

    /// Starts from the state on disk; overridden.
    func boot() throws {}

    /// Drops the state in memory; overridden.
    func lost() {}

    /// Replaces the disk by an old copy, and restarts the process; overridden.
    func rollBack(by span: Duration) {}

    final func start() {
        guard !self.isUp else { return }
        self.isUp = true
        self.life += 1
        self.world.trace.add(self.world.now, self.id, "starts", self.life)
        self.perform { try self.boot() }
    }

    /// Kills the process, and starts it again after a while.
    final func kill(for pause: Duration) {
        guard self.isUp else { return }
        self.isUp = false
        self.world.trace.add(self.world.now, self.id, "is killed", self.life)
        self.lost()
        self.world.later(pause) { [unowned self] in self.start() }
    }

    /// Runs code in the process, if it lives, until a write kills it.
    final func perform(_ body: () throws -> Void) {
        guard self.isUp else { return }
        do {
            try body()
        } catch is Killed {
            self.kill(for: self.world.restartPause)
        } catch {
            self.world.fail("\(self.id) did not handle an error: \(error)")
        }
    }

    /// Runs code later in the process, if this life lasts that long.
    final func later(_ delay: Duration, _ body: @escaping () throws -> Void) {
        let life = self.life
        self.world.later(delay) { [unowned self] in
            if self.life == life { self.perform(body) }
        }
    }

    /// Changes the state on disk, atomically.
    ///
    /// - Throws: ``Killed`` before or after the change if the scenario says so; ``DiskFull`` while the disk is full.
    final func write(_ change: () -> Void) throws {
        self.writes += 1
        let fate = self.world.scenario.fate(ofWrite: self.writes, by: self.id, now: self.world.now)
        if fate == .dieBefore {
            self.world.census.add("\(self.kind) dies before a write")
            throw Killed()
        }
        guard !self.isDiskFull else {
            self.world.census.add("\(self.kind) finds its disk full")
            throw DiskFull()
        }
        guard self.world.now >= self.failsUntil else {
            self.world.census.add("\(self.kind)'s fsync fails")
            // Whether such a write reached the disk is unknown; in this model, every second one did.
            let isThere = self.mayLeaveUnsynced && self.writes % 2 == 0
            if isThere { change() }
            throw DiskFull(mayBeThere: isThere)
        }
        change()
        if fate == .dieAfter {
            self.world.census.add("\(self.kind) dies after a write")
            throw Killed()
        }
    }

    final func trace(_ event: StaticString, _ first: UInt64 = 0, _ second: UInt64 = 0) {
        self.world.trace.add(self.world.now, self.id, event, first, second)
    }

    /// The kind of machine, for the census.
    private var kind: String {
        switch self.id {
        case .gateway: "gateway"
        case .server: "server"
        case .device: "device"
        case .requester: "requester"
        case .stranger: "stranger"
        case .relay: "relay"
        case .sender: "sender"
        }
    }

    /// The time on this machine's monotonic clock.
    final var monotonic: EngineInstant {
        EngineInstant(sinceStart: .microseconds(self.world.now.microseconds))
    }

    /// The time on this machine's wall clock, in microseconds since 1970.
    final var wallMicroseconds: Int64 {
        Instant.epochMicroseconds + self.world.now.microseconds + self.clockError.microseconds
    }

    /// Both clocks of this machine.
    final var clocks: Now {
        Now(
            monotonic: EngineInstant(sinceStart: .microseconds(self.world.now.microseconds)),
            wall: WallTime(microseconds: self.wallMicroseconds)
        )
    }
}
