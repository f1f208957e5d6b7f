internal import WhereaboutsVocabulary

/// The side that asks.
public struct Requester: Sendable {
    /// How long to notify a server of the end of a schedule that did not start, after the waiting caller's deadline.
    ///
    /// Source: our choice; one attempt, on a line that works.
    private static let lastWord: Duration = .seconds(1)

    /// The files it works on.
    public let profile: SharingProfile
    let server: ServerConnection
    let sealing: any Sealing

    /// Creates a requester.
    ///
    /// - Parameters:
    ///   - profile: the files it works on.
    ///   - sealing: how answers are sealed and opened.
    ///   - transport: the way to the profile's server; HTTPS, if not given.
    /// - Throws: ``SharingError`` when the trust roots cannot be read.
    public init(
        profile: SharingProfile,
        sealing: any Sealing = HPKESealing(),
        transport: (any ServerTransport)? = nil
    ) throws {
        self.profile = profile
        self.server = try ServerConnection(settings: profile.settings, transport: transport)
        self.sealing = sealing
    }

    /// Asks once.
    ///
    /// A reader who stops listening before the end withdraws the request, as with ``inquire(_:precision:repeating:suite:deadline:explain:)``.
    ///
    /// - Parameters:
    ///   - grant: the sharer's grant.
    ///   - precision: how exact the answer should be; nil for what the grant allows.
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
        self.inquire(
            grant,
            precision: precision,
            repeating: repetition,
            suite: suite,
            deadline: deadline,
            explain: explain
        ).updates
    }

    /// Asks once, as ``ask(_:precision:repeating:suite:deadline:explain:)`` does, and can be stopped.
    ///
    /// - Parameters:
    ///   - grant: the sharer's grant.
    ///   - precision: how exact the answer should be; nil for what the grant allows.
    ///   - repetition: when to ask again; nil for one answer.
    ///   - suite: the algorithms that seal the answer.
    ///   - deadline: how long to wait in all.
    ///   - explain: tells a person who waits why the server has not taken the request yet; it is asked again.
    /// - Returns: the request.
    public func inquire(
        _ grant: Signed<Grant>,
        precision: Precision? = nil,
        repeating repetition: Repetition? = nil,
        suite: Suite = .xWing,
        deadline: Duration = .seconds(60),
        explain: @escaping @Sendable (String) -> Void = { _ in }
    ) -> Inquiry {
        Inquiry { stopping, tell in
            do {
                let began = ContinuousClock.now
                var generator = SystemRandomNumberGenerator()
                let conversation = try Conversation(
                    profile: self.profile,
                    server: self.server,
                    sealing: self.sealing,
                    grant: grant,
                    precision: precision ?? grant.value.precision,
                    suite: suite,
                    repetition: repetition,
                    using: &generator
                )
                // Store the key first: otherwise answers could arrive that cannot be opened.
                if repetition != nil { try self.profile.keep(OwnTimer(conversation.signed, conversation.key)) }
                let asking = Task { await conversation.run(patience: deadline, explain: explain, tell) }
                stopping.whenStopped { asking.cancel() }
                let last = await asking.value
                // The device may still prompt its person although no requester waits; and a device without a position
                // may get one later, and would be asked again.
                let isLeft = last.map { $0.state.kind == .expired || repetition != nil && $0.state.kind != .answered }
                guard isLeft ?? true else { return }
                // Otherwise a server that is away would delay the waiting caller ten seconds past their deadline.
                let left = last == nil ? Attempts.patience : max(Self.lastWord, deadline - began.duration(to: .now))
                let isTold = await conversation.say(.byFollower, within: min(left, Attempts.patience))
                if repetition != nil, isTold { self.profile.dropTimer(conversation.signed.value.id) }
                guard last == nil else { return }
                let words = isTold ? "You withdrew it." : "You withdrew it; the server was not reached with that."
                tell(
                    RequestUpdate(
                        state: RequestState(.expired, at: .now, reason: words),
                        elapsed: began.duration(to: .now)
                    )
                )
            } catch {
                let failed = RequestState(.failed, at: .now, reason: "The request could not be made: \(error)")
                tell(RequestUpdate(state: failed, elapsed: .zero))
            }
        }
    }
}
