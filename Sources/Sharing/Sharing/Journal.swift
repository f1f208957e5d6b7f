/// A sharer's record of the requests that reached their device, as read from the disk.
public struct Journal: Sendable, Hashable {
    /// The lines that could be decrypted, oldest first.
    public let lines: [JournalLine]
    /// The first fault of the journal; nil when it is complete and unchanged.
    public let fault: JournalFault?

    /// The requests and their outcomes, oldest first.
    public var requests: [JournaledRequest] { JournaledRequest.gathered(from: self.lines) }

    init(_ links: [JournalChain.Link], ends: JournalChain.Ends?) {
        self.lines = links.compactMap(\.line)
        self.fault = JournalChain.fault(of: links, ends: ends)
    }
}
