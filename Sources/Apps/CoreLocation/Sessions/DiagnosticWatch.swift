/// Watches the diagnostics of what the process holds, until it is let go.
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

    /// Waits for the next bits; nil once the claim is given up or the task cancelled.
    func next() async -> UInt32? { await self.mailbox.next() }
}
