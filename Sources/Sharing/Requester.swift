#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The side that asks.
public struct Requester: Sendable {
    /// How long a request lives: peers' experience says that nobody waits longer.
    public static let requestLifetime: Duration = .seconds(120)

    /// The files it works on.
    public let home: SharingHome
    private let server: ServerConnection
    private let sealing: any Sealing

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
    ///   - grant: what allows it.
    ///   - precision: how exact the answer is to be; nil for what the grant allows.
    ///   - suite: how the answer is sealed.
    ///   - deadline: how long to wait in all.
    /// - Returns: the states as they come, at most one of a kind, ending in exactly one final state; also when nothing can
    ///   be reached. Ends without one only when the caller stops listening or its task is cancelled.
    public func ask(
        _ grant: Signed<Grant>,
        precision: Precision? = nil,
        suite: Suite = .xWing,
        deadline: Duration = .seconds(60)
    ) -> AsyncStream<RequestUpdate> {
        AsyncStream { continuation in
            let task = Task {
                let conversation = Conversation(
                    home: self.home,
                    server: self.server,
                    sealing: self.sealing,
                    grant: grant,
                    precision: precision ?? grant.value.precision,
                    suite: suite,
                    updates: continuation
                )
                let final = await conversation.run(deadline: deadline)
                if !Task.isCancelled { continuation.yield(final) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
