/// One attempt to stop the system or to get more than is allowed, against real processes on loopback.
///
/// Each attack is one file, bounded in count and time; ``Trial`` runs it and compares the honest party's service before it, under
/// it and after it. ``AttackList`` lists every attack.
protocol Attack: Sendable {
    /// The processes, and the honest party that uses them.
    associatedtype Scene: AttackScene

    /// The name on the command line.
    static var name: String { get }
    /// The row of docs/threat-model.md that the attack tries: its first column.
    static var row: String { get }
    /// The attempt, in one sentence.
    static var attempt: String { get }

    /// The reason why this machine cannot run the attack; nil if it can.
    static var obstacle: String? { get }

    /// Attacks until the bounds are reached.
    ///
    /// - Returns: the number of attempts and their results, in a few words.
    /// - Throws: a failure of the attacker itself; it is no error that the target cuts the attacker off.
    static func strike(_ scene: Scene, _ bounds: Bounds) async throws -> String
}

extension Attack {
    static var obstacle: String? { nil }
}

/// The processes under attack, and their honest user.
protocol AttackScene: Sendable {
    /// Starts the processes in a new directory, up to the first honest action.
    static func start() async throws -> Self

    /// Performs one honest action until its end: a push that arrives, a request that is answered.
    ///
    /// - Throws: if the action is refused, or does not end in time.
    func honestAction() async throws

    /// The processes whose memory counts.
    var pids: [Int32] { get }

    /// Ends the processes, and removes their directory.
    func stop() async
}

/// The end of an attack: whichever comes first.
struct Bounds: Sendable {
    /// The time that an attack may take.
    let duration: Duration
    /// The maximum number of connections that an attack may have open.
    let connectionsMax: Int
    /// The maximum number of messages that an attack may send.
    let messagesMax: Int
    private let end: ContinuousClock.Instant

    /// Creates bounds that begin now.
    init(duration: Duration, connectionsMax: Int, messagesMax: Int) {
        self.duration = duration
        self.connectionsMax = connectionsMax
        self.messagesMax = messagesMax
        self.end = .now + duration
    }

    /// Returns the bounds of the short form, which the tests run.
    static func short() -> Bounds { Bounds(duration: .seconds(2), connectionsMax: 64, messagesMax: 20_000) }

    /// Returns the bounds of the whole form.
    static func whole(_ duration: Duration) -> Bounds {
        Bounds(duration: duration, connectionsMax: 2000, messagesMax: 2_000_000)
    }

    /// Whether the time is over.
    var isOver: Bool { ContinuousClock.now >= self.end || Task.isCancelled }
}
