/// Watches the diagnostics of a claim until this object is released.
final class DiagnosticWatch: Sendable {
    private let client: LocationClient
    private let claim: UInt64
    private let watcher: UInt64
    private let mailbox: LocationClient.DiagnosticMailbox

    private let name: String

    /// Starts to watch a claim.
    ///
    /// - Parameters:
    ///   - client: the client.
    ///   - claim: the number of the claim.
    ///   - name: the name of the sequence.
    init(client: LocationClient, claim: UInt64, _ name: String) {
        self.client = client
        self.name = name
        self.claim = claim
        (self.watcher, self.mailbox) = client.watch(claim)
    }

    deinit {
        self.client.unwatch(self.claim, watcher: self.watcher)
    }

    /// Waits for the next bits; nil after the end of the claim or the task.
    func next() async -> UInt32? {
        self.client.transport.awaits(self.name, loop: self.watcher)
        return await self.mailbox.next()
    }
}
