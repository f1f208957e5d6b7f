internal import LocationEngine
internal import LocationWireMessages

/// Decides when an app's questions are asked, and keeps answers: in memory only, because they hold positions.
struct GeocodingDesk {
    typealias Answer = Result<[Whereabouts_Locationwire_V1_Placemark], GeocodingFailure>

    /// The time between two questions of one app.
    ///
    /// - Note: documented, by Nominatim's usage policy: "an absolute maximum of 1 request per second"
    ///   (operations.osmfoundation.org/policies/nominatim). Apple documents no number.
    static var interval: Duration { .seconds(1) }
    /// The longest an app's question waits for its turn; further ones are refused.
    static var waitMax: Duration { .seconds(10) }
    /// How many answers are kept; a walk through a city asks for fewer in a day.
    static var answersMax: Int { 256 }
    /// How long an answer is kept: places change their names seldom.
    static var answerAgeMax: Duration { .seconds(24 * 3600) }

    /// When each app's next question may be asked.
    private var free: [BundleID: EngineInstant] = [:]
    private var answers: [GeocodingQuestion: (answer: Answer, until: EngineInstant)] = [:]
    /// The questions of ``answers``, the oldest first.
    private var order: [GeocodingQuestion] = []

    /// Records that an app asks.
    ///
    /// - Returns: how long the question waits for its turn; nil: too many wait.
    mutating func asked(_ bundle: BundleID, now: EngineInstant) -> Duration? {
        self.free = self.free.filter { $0.value > now }
        let due = self.free[bundle] ?? now
        let wait = now.duration(to: due)
        guard wait <= Self.waitMax else { return nil }
        self.free[bundle] = due.advanced(by: Self.interval)
        return wait
    }

    /// The answer that is kept for a question.
    func answer(to question: GeocodingQuestion, now: EngineInstant) -> Answer? {
        self.answers[question].flatMap { $0.until > now ? $0.answer : nil }
    }

    /// Records an answer; failures of the network are not kept.
    mutating func answered(_ question: GeocodingQuestion, _ answer: Answer, now: EngineInstant) {
        if case .failure(.network) = answer { return }
        if self.answers.updateValue((answer, now.advanced(by: Self.answerAgeMax)), forKey: question) == nil {
            self.order.append(question)
        }
        if self.order.count > Self.answersMax { self.answers[self.order.removeFirst()] = nil }
    }
}
