/// The pushes that a channel stores for devices that are offline; it is chosen when the channel is created.
public enum ChannelStorage: Int, Sendable, Hashable {
    /// No push: for frequent updates, of which Apple allows more then.
    case nothing = 0
    /// The latest push, for at most eight hours.
    case latest = 1
}
