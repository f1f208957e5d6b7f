internal import WhereaboutsVocabulary

/// Both clocks of this process, for machines.
struct ProcessClock: Sendable {
    private let begun = ContinuousClock.now

    var now: Now { Now(monotonic: EngineInstant(sinceStart: ContinuousClock.now - self.begun), wall: .now) }

    func sleep(until instant: EngineInstant) async throws {
        try await Task.sleep(until: self.begun.advanced(by: instant.sinceStart), clock: .continuous)
    }
}
