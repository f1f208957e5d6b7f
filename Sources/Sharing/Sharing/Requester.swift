internal import WhereaboutsVocabulary

/// The requester's side: asks for positions, and follows.
public struct Requester: Sendable {
    /// How long to notify a server of the end of a schedule that did not start, after the waiting caller's deadline.
    ///
    /// Source: our choice; enough for one attempt on a working network.
    private static let lastWord: Duration = .seconds(1)

    /// The requester's profile.
    public let profile: SharingProfile
    let server: ServerConnection
    let sealing: any Sealing

    /// Creates a requester.
    ///
    /// - Parameters:
    ///   - profile: the requester's profile.
    ///   - sealing: how answers are sealed and opened.
    ///   - transport: sends requests to the profile's server; HTTPS, if not given.
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
    /// Ending the iteration early withdraws the request, as with ``inquire(_:precision:repeating:suite:deadline:explain:)``.
    ///
    /// - Parameters:
    ///   - grant: the sharer's grant.
    ///   - precision: how exact the answer should be; nil for what the grant allows.
    ///   - repetition: when the server asks again, if the first answer is a position; ``occurrences(of:after:)`` fetches the
    ///     later answers. Nil for one answer.
    ///   - suite: the algorithms that seal the answer.
    ///   - deadline: how long to wait in all.
    ///   - explain: receives the reason, for a person who waits, when an attempt fails and is repeated.
    /// - Returns: the states as they arrive: each kind at most once, and exactly one final state last, even if the server cannot
    ///   be reached. Ends without a final state only if the caller stops reading or its task is cancelled.
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

    /// Asks once, as ``ask(_:precision:repeating:suite:deadline:explain:)`` does, with a request that can be withdrawn.
    ///
    /// - Parameters:
    ///   - grant: the sharer's grant.
    ///   - precision: how exact the answer should be; nil for what the grant allows.
    ///   - repetition: when to ask again; nil for one answer.
    ///   - suite: the algorithms that seal the answer.
    ///   - deadline: how long to wait in all.
    ///   - explain: receives the reason, for a person who waits, when an attempt fails and is repeated.
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
                if repetition != nil { try self.keep(conversation) }
                let asking = Task { await conversation.run(patience: deadline, explain: explain, tell) }
                stopping.whenStopped { asking.cancel() }
                let last = await asking.value
                // Tell the server to stop: the device may still prompt its person although no requester waits, and a schedule whose
                // first answer had no position could still start.
                let isLeft = last.map { $0.state.kind == .expired || repetition != nil && $0.state.kind != .answered }
                guard isLeft ?? true else { return }
                // An unreachable server must not delay a waiting caller by ten seconds past their deadline.
                let left = last == nil ? Attempts.patience : max(Self.lastWord, deadline - began.duration(to: .now))
                let isTold = await conversation.say(.byFollower, within: min(left, Attempts.patience))
                if repetition != nil, isTold { self.profile.schedules.drop(conversation.signed.value.id) }
                guard last == nil else { return }
                let words =
                    isTold
                    ? "You withdrew the request." : "You withdrew the request, but the server could not be reached."
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

    /// Not inlined: in a release build, swiftc 6.3.1 crashes when it splits the async closure of `inquire` with this code in it.
    @inline(never)
    private func keep(_ conversation: Conversation) throws {
        try self.profile.schedules.keep(OwnSchedule(conversation.signed, conversation.key))
    }
}
