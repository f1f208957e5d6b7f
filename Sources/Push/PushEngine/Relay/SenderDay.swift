/// A sender's account of one day.
public struct SenderDay: Sendable, Hashable {
    /// The sender.
    public let sender: Sender.Name
    /// The day on which the pushes were sent.
    public let day: AccountDay
    /// The counts.
    public let account: SenderAccount

    /// Creates the account of a day.
    public init(_ sender: Sender.Name, _ day: AccountDay, _ account: SenderAccount) {
        self.sender = sender
        self.day = day
        self.account = account
    }
}
