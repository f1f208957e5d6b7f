/// Watches the diagnostics of a claim until this object is released.
final class DiagnosticWatch: Sendable {
    private let client: LocationClient
    private let claim: UInt64
    private let watcher: UInt64
    private let mailbox: LocationClient.DiagnosticMailbox

    init(client: LocationClient, claim: UInt64) {
        self.client = client
        self.claim = claim
        (self.watcher, self.mailbox) = client.watch(claim)
    }

    deinit {
        self.client.unwatch(self.claim, watcher: self.watcher)
    }

    /// Waits for the next bits; nil after the end of the claim or the task.
    func next() async -> UInt32? { await self.mailbox.next() }
}
