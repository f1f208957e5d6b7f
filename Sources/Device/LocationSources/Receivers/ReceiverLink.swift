public import WhereaboutsVocabulary

/// The connection to a receiver: when to open it, how long to tolerate silence, and how long to wait before a retry.
///
/// ```
///          started            opened              silent (no answer to our question, if we can ask)
///   off ───────────▶ opening ─────────▶ open ──────────────────┐
///    ▲                ▲    │ failed       │ closed              ▼
///    └── stopped      │    └──────────────┴──────────────▶ pausing
///     (everywhere)    └──────────── deadline ─────────────────┘
/// ```
/// A peer that vanishes is detected only by its silence. Bytes that arrive after a longer silence than is tolerated
/// have waited, for example in the kernel while the device slept or the process was stopped. They are not read, because
/// they show an earlier place; the connection is opened again.
///
/// Ignored races: `opened`, `failed`, `closed` and bytes while off or pausing; deadlines early, late or spurious.
public struct ReceiverLink: Sendable, Hashable {
    /// The settings of a connection.
    public struct Configuration: Sendable, Hashable {
        /// Whether the other side answers questions (gpsd).
        public var answers: Bool
        /// The least silence, in whole seconds, after which the other side is asked or the connection is closed; nil:
        /// silence is tolerated, as on a connectionless bus.
        public var silence: Duration?
        /// How long an answer may take.
        public var patience = Duration.seconds(5)
        /// The wait before the next attempt, which doubles with each failure.
        public var shortestWait = Duration.milliseconds(250)
        /// The longest wait.
        public var longestWait = Duration.seconds(5)
        /// How long bytes must arrive before a connection counts as good and the next wait is short again; otherwise a
        /// server that accepts and closes would be called four times a second.
        public var probation = Duration.seconds(10)

        /// Creates the settings of a connection.
        public init(answers: Bool, silence: Duration?) {
            self.answers = answers
            self.silence = silence
        }
    }

    /// The state of the connection.
    enum State: Sendable, Hashable {
        /// No client needs the receiver.
        case off
        /// The connection is being opened.
        case opening
        /// The connection is open.
        case open(Open)
        /// The connection is closed until then.
        case pausing(until: EngineInstant)
    }

    struct Open: Sendable, Hashable {
        let since: EngineInstant
        /// When the newest byte arrived, or the connection began.
        var heard: EngineInstant
        /// The longest silence that has ended so far.
        var longest: Duration = .zero
        /// When the other side was asked; nil: never, or it has sent data since.
        var asked: EngineInstant?
        var hasSpoken = false
    }

    private(set) var state = State.off
    private let configuration: Configuration
    private var backoff: Backoff

    /// Creates a closed connection.
    public init(_ configuration: Configuration) {
        self.configuration = configuration
        self.backoff = Backoff(from: configuration.shortestWait, to: configuration.longestWait)
    }

    /// Whether the receiver is needed.
    public var isOn: Bool { self.state != .off }

    /// The instant to call ``deadlineReached(now:)`` at.
    public var deadline: EngineInstant? {
        switch self.state {
        case .off, .opening: nil
        case .pausing(let until): until
        case .open(let open):
            open.asked.map { $0.advanced(by: self.configuration.patience) }
                ?? self.silence(open).map { open.heard.advanced(by: $0) }
        }
    }

    /// How long the receiver may be silent: a multiple of the longest pause between its reports.
    private func silence(_ open: Open) -> Duration? {
        self.configuration.silence.map { max($0, min(open.longest * 3, $0 * 12)) }
    }

    /// Actions returned by ``started()``.
    public enum OnStart: Sendable, Hashable {
        /// Open the connection.
        case open
        /// Do nothing: the connection is already on.
        case ignore
    }

    /// Records that the receiver is needed.
    public mutating func started() -> OnStart {
        guard self.state == .off else { return .ignore }
        self.backoff.reset()
        self.state = .opening
        return .open
    }

    /// Records that the receiver is not needed; close the connection.
    public mutating func stopped() { self.state = .off }

    /// Records that the connection is open.
    public mutating func opened(now: EngineInstant) {
        guard self.state == .opening else { return }
        self.state = .open(Open(since: now, heard: now))
    }

    /// Records that the connection could not be opened, or was closed by the other side.
    public mutating func closed(now: EngineInstant) {
        switch self.state {
        case .off, .pausing: return
        case .opening: break
        case .open(let open):
            if open.hasSpoken, open.since.duration(to: open.heard) >= self.configuration.probation {
                self.backoff.reset()
            }
        }
        self.state = .pausing(until: now.advanced(by: self.backoff.next()))
    }

    /// Actions returned by ``bytesCame(now:)``.
    public enum OnBytes: Sendable, Hashable {
        case read
        /// Close the connection, and open it again at once: the bytes have waited too long.
        case reopen
        /// Drop the bytes: the connection is closed.
        case drop
    }

    /// Records the arrival of bytes.
    public mutating func bytesCame(now: EngineInstant) -> OnBytes {
        guard case .open(var open) = self.state else { return .drop }
        let gap = open.heard.duration(to: now)
        // Skip this check for the first bytes: they cannot be older than the connection.
        if open.hasSpoken, let silence = self.silence(open), gap > silence + self.configuration.patience {
            self.state = .opening
            return .reopen
        }
        // A silence that ended because of a question does not count; otherwise the tolerated silence would grow each time.
        if open.hasSpoken, open.asked == nil { open.longest = max(open.longest, gap) }
        open.heard = now
        open.asked = nil
        open.hasSpoken = true
        self.state = .open(open)
        return .read
    }

    /// Actions returned by ``deadlineReached(now:)``.
    public enum OnDeadline: Sendable, Hashable {
        /// Open the connection.
        case open
        /// Ask the other side whether it is alive.
        case ask
        /// Close the connection, because the other side is silent.
        ///
        /// The connection is opened again at ``deadline``.
        case close
        case ignore
    }

    /// Records that the host's timer fired; a call before the deadline changes nothing.
    public mutating func deadlineReached(now: EngineInstant) -> OnDeadline {
        guard let deadline = self.deadline, now >= deadline else { return .ignore }
        switch self.state {
        case .off, .opening: return .ignore
        case .pausing:
            self.state = .opening
            return .open
        case .open(var open):
            guard self.configuration.answers, open.asked == nil else {
                self.closed(now: now)
                return .close
            }
            open.asked = now
            self.state = .open(open)
            return .ask
        }
    }
}
