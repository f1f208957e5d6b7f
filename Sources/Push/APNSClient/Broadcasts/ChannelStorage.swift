/// The pushes that a channel stores for devices that are offline; it is chosen when the channel is created.
public enum ChannelStorage: Int, Sendable, Hashable {
    /// No push is stored. Choose this for frequent updates: Apple then allows more of them.
    case nothing = 0
    /// The latest push, for at most eight hours.
    case latest = 1
}
