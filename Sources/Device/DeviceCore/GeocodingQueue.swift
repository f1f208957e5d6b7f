internal import OrderedCollections
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Decides when an app's questions are sent, and caches answers in memory only, because they contain positions.
///
/// ```
///            asked             due                    answered
///   (new) ─────────▶ waiting ───────▶ being looked up ─────────▶ kept
///     │ kept already, or too many                                 ▲
///     └────────── answered at once ───────────────────────────────┘
/// ```
/// Ignored races: an answer to a question whose client is gone is cached anyway.
struct GeocodingQueue: Sendable, Hashable {
    /// A client's geocoding request, in the queue or sent to the server.
    struct Asked: Sendable, Hashable {
        let question: GeocodeQuestion
        let request: UInt64
        let client: ClientID
    }

    private struct Waiting: Sendable, Hashable {
        let asked: Asked
        let due: EngineInstant
    }

    private struct Kept: Sendable, Hashable {
        var answer: GeocodeAnswer
        var until: EngineInstant
    }

    /// The time between two questions of one app.
    ///
    /// - Note: documented, by Nominatim's usage policy: "an absolute maximum of 1 request per second"
    ///   (operations.osmfoundation.org/policies/nominatim). Apple documents no number.
    static let interval = Duration.seconds(1)
    /// The longest an app's question waits until it may be sent; further ones are refused.
    ///
    /// Source: our choice, ADR 0036; ten questions.
    static let waitMax = Duration.seconds(10)
    /// The size of the cache; a walk through a city needs fewer in a day.
    static let answersMax = 256
    /// How long an answer is cached: places seldom change their names.
    static let answerAgeMax = Duration.seconds(24 * 3600)
    /// The longest answer that is cached and sent, in bytes: ten places with all their names, and half a packet.
    static let answerBytesMax = 64 * 1024

    let hasServer: Bool
    /// The instant from which each app's next question may be asked.
    private var free: [BundleID: EngineInstant] = [:]
    /// The waiting questions, in the order of their arrival.
    private var waiting: [Waiting] = []
    private var underWay: OrderedDictionary<LookUpID, Asked> = [:]
    /// The cached answers, the oldest first.
    private var kept: OrderedDictionary<GeocodeQuestion, Kept> = [:]
    private var lookUps: UInt64 = 0

    init(hasServer: Bool) {
        self.hasServer = hasServer
    }

    var deadline: EngineInstant? { self.waiting.map(\.due).min() }

    /// Actions returned by ``asked(_:of:now:)``.
    enum OnQuestion: Sendable, Hashable {
        /// Answer the client at once.
        case tell(GeocodeResult)
        /// Do nothing: the question waits until it may be sent.
        case wait
    }

    /// Records that an app asks.
    mutating func asked(_ asked: Asked, of bundle: BundleID, now: EngineInstant) -> OnQuestion {
        guard self.hasServer else { return .tell(.noServer) }
        if let answer = self.answer(to: asked.question, now: now) { return .tell(.answer(answer)) }
        self.free = self.free.filter { $0.value > now }
        let due = self.free[bundle] ?? now
        guard now.duration(to: due) <= Self.waitMax else { return .tell(.tooOften) }
        self.free[bundle] = due.advanced(by: Self.interval)
        self.waiting.append(Waiting(asked: asked, due: due))
        return .wait
    }

    /// Actions returned by ``due(now:)``.
    enum OnDue: Sendable, Hashable {
        case lookUp(LookUpID, GeocodeQuestion)
        /// Answer the client: the same question was answered while this one waited.
        case tell(Asked, GeocodeAnswer)
    }

    /// Returns the questions that may be sent now; some were answered while they waited.
    mutating func due(now: EngineInstant) -> [OnDue] {
        let due = self.waiting.filter { $0.due <= now }
        guard !due.isEmpty else { return [] }
        self.waiting.removeAll { $0.due <= now }
        return due.map { waiting in
            if let answer = self.answer(to: waiting.asked.question, now: now) { return .tell(waiting.asked, answer) }
            self.lookUps += 1
            let id = LookUpID(rawValue: self.lookUps)
            self.underWay[id] = waiting.asked
            return .lookUp(id, waiting.asked.question)
        }
    }

    /// Records the server's answer; network failures are not cached.
    ///
    /// - Returns: the question; nil when it was not asked.
    mutating func answered(_ lookUp: LookUpID, _ answer: GeocodeAnswer, now: EngineInstant) -> Asked? {
        guard let asked = self.underWay.removeValue(forKey: lookUp) else { return nil }
        switch answer {
        case .unreachable: break
        case .places, .noResult:
            self.kept[asked.question] = Kept(answer: answer, until: now.advanced(by: Self.answerAgeMax))
            if self.kept.count > Self.answersMax { self.kept.removeFirst() }
        }
        return asked
    }

    private func answer(to question: GeocodeQuestion, now: EngineInstant) -> GeocodeAnswer? {
        self.kept[question].flatMap { $0.until > now ? $0.answer : nil }
    }
}

/// Geocoders send their questions through the device (ADR 0036).
extension DeviceCore {
    mutating func placesAsked(
        _ question: GeocodeQuestion?,
        _ request: UInt64,
        _ bundle: BundleID,
        _ client: ClientID,
        _ actions: inout [Action],
        now: Now
    ) {
        guard let question else {
            actions.append(.tellPlaces(client, request: request, .answer(.noResult)))
            return
        }
        let asked = GeocodingQueue.Asked(question: question, request: request, client: client)
        switch self.geocoding.asked(asked, of: bundle, now: now.monotonic) {
        case .tell(let result): actions.append(.tellPlaces(client, request: request, result))
        // Send the question now if the app asked no other one within the last second.
        case .wait: self.geocodingDeadlineReached(&actions, now: now)
        }
    }

    mutating func geocodingDeadlineReached(_ actions: inout [Action], now: Now) {
        for action in self.geocoding.due(now: now.monotonic) {
            switch action {
            case .lookUp(let id, let question): actions.append(.lookUp(id, question))
            case .tell(let asked, let answer):
                actions.append(.tellPlaces(asked.client, request: asked.request, .answer(answer)))
            }
        }
    }

    mutating func lookedUp(_ lookUp: LookUpID, _ answer: GeocodeAnswer, _ actions: inout [Action], now: Now) {
        var answer = answer
        if case .places(let places) = answer, places.count > GeocodingQueue.answerBytesMax {
            self.bounds.count(.placesRefused)
            answer = .unreachable("the answer of the geocoding server is longer than 64 KiB")
        }
        guard let asked = self.geocoding.answered(lookUp, answer, now: now.monotonic) else { return }
        actions.append(.tellPlaces(asked.client, request: asked.request, .answer(answer)))
    }
}
