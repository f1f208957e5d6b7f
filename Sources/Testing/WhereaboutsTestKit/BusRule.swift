public import Testing
internal import WhereaboutsSharingEngine
public import WhereaboutsSharingServer
internal import WhereaboutsVocabulary

/// The rules that every ``SharingServer/Bus`` keeps; event streams rely on each.
///
/// ```swift
/// @Test(.timeLimit(.minutes(1)), arguments: BusRule.allCases) func myBusKeeps(_ rule: BusRule) async throws {
///     try await rule.check(MyBus())
/// }
/// ```
/// A bus that never wakes keeps the test waiting: give it a time limit.
public enum BusRule: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// A subscriber is woken, sooner or later, if the request goes on changing.
    case whoSubscribedIsWoken
    /// All subscribers of a request are woken, not one in the place of the others.
    case everySubscriberIsWoken
    /// A change that was published before anybody waited for it still wakes.
    case aWakeUpWaitsForItsReader
    /// A subscriber that does not read holds up no other.
    case aSlowSubscriberHoldsUpNobody
    /// A subscriber that is gone holds up no other.
    case aLeavingSubscriberHoldsUpNobody
    /// A change of a request that nobody subscribed to is nothing.
    case nobodyMaySubscribe

    /// The name of the rule.
    public var testDescription: String { self.rawValue }

    /// Checks the rule; what breaks it is an issue of the test that runs.
    ///
    /// - Parameter bus: a bus that nobody else uses.
    /// - Throws: an issue that ends the rule.
    public func check(_ bus: some Bus) async throws {
        let request = try Self.id(1)
        switch self {
        case .whoSubscribedIsWoken:
            let stream = bus.subscribe(to: request)
            for _ in 0..<3 { await Self.wakes([stream], bus, request) }
        case .everySubscriberIsWoken:
            await Self.wakes((0..<8).map { _ in bus.subscribe(to: request) }, bus, request)
        case .aWakeUpWaitsForItsReader:
            let stream = bus.subscribe(to: request)
            // One may be lost, a thousand are not.
            for _ in 0..<1000 { bus.publish(request) }
            var iterator = stream.makeAsyncIterator()
            #expect(await iterator.next() != nil)
        case .aSlowSubscriberHoldsUpNobody:
            let slow = bus.subscribe(to: request)
            for _ in 0..<10_000 { bus.publish(request) }
            await Self.wakes([bus.subscribe(to: request)], bus, request)
            withExtendedLifetime(slow) {}
        case .aLeavingSubscriberHoldsUpNobody:
            let stays = bus.subscribe(to: request)
            for _ in 0..<100 { _ = bus.subscribe(to: request) }
            await Self.wakes([stays], bus, request)
        case .nobodyMaySubscribe:
            let other = try Self.id(2)
            for _ in 0..<100 { bus.publish(other) }
            await Self.wakes([bus.subscribe(to: request)], bus, request)
        }
    }

    private static func id(_ byte: UInt8) throws -> RequestID {
        try #require(RequestID(bytes: Array(repeating: byte, count: 16)))
    }

    /// Publishes until all streams were woken.
    private static func wakes(_ streams: [AsyncStream<Void>], _ bus: some Bus, _ request: RequestID) async {
        await withTaskGroup(of: Void.self) { group in
            for stream in streams {
                group.addTask {
                    for await _ in stream { return }
                }
            }
            group.addTask {
                while !Task.isCancelled {
                    bus.publish(request)
                    await Task.yield()
                }
            }
            for _ in streams { await group.next() }
            group.cancelAll()
        }
    }
}
