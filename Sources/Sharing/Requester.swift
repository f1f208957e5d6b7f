internal import Vocabulary

/// The side that asks.
public struct Requester: Sendable {
    /// The files it works on.
    public let home: SharingHome
    let server: ServerConnection
    let sealing: any Sealing

    /// Creates a requester.
    ///
    /// - Throws: ``SharingError`` when the trust roots cannot be read.
    public init(home: SharingHome, sealing: any Sealing = HPKESealing()) throws {
        self.home = home
        self.server = try ServerConnection(settings: home.settings)
        self.sealing = sealing
    }

    /// Asks once.
    ///
    /// - Parameters:
    ///   - grant: the sharer's grant.
    ///   - precision: how exact the answer is to be; nil for what the grant allows.
    ///   - repetition: when to ask again, once the first answer is a position; the server does it, and ``turns(of:after:)`` fetches
    ///     what comes. Nil for one answer.
    ///   - suite: the algorithms that seal the answer.
    ///   - deadline: how long to wait in all.
    ///   - explain: tells a person who waits why the server has not taken the request yet; it is asked again.
    /// - Returns: the states as they come, at most one of a kind, ending in exactly one final state; also when nothing can
    ///   be reached. Ends without one only when the caller stops listening or its task is cancelled.
    public func ask(
        _ grant: Signed<Grant>,
        precision: Precision? = nil,
        repeating repetition: Repetition? = nil,
        suite: Suite = .xWing,
        deadline: Duration = .seconds(60),
        explain: @escaping @Sendable (String) -> Void = { _ in }
    ) -> AsyncStream<RequestUpdate> {
        AsyncStream { continuation in
            let task = Task {
                do {
                    var generator = SystemRandomNumberGenerator()
                    let conversation = try Conversation(
                        home: self.home,
                        server: self.server,
                        sealing: self.sealing,
                        grant: grant,
                        precision: precision ?? grant.value.precision,
                        suite: suite,
                        repetition: repetition,
                        using: &generator
                    )
                    // Before it is asked: answers that nobody can open must not come.
                    if repetition != nil { try self.home.keep(OwnTimer(conversation.signed, conversation.key)) }
                    let last = await conversation.run(patience: deadline, explain: explain) { continuation.yield($0) }
                    // A device that did not tell a position may tell one yet, and would be asked again for nobody.
                    if repetition != nil, let last, last.state.kind != .answered, await conversation.say(.byFollower) {
                        self.home.dropTimer(conversation.signed.value.id)
                    }
                } catch {
                    let failed = RequestState(.failed, at: .now, reason: "The request could not be made: \(error)")
                    continuation.yield(RequestUpdate(state: failed, elapsed: .zero))
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
