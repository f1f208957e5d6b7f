/// The process at the other end of a connection, as the host identified it.
public struct Principal: Sendable, Hashable {
    /// The kinds of process.
    public enum Role: Sendable, Hashable {
        case app
        /// The app's location push service extension, in the process of this launch.
        case pushExtension(LaunchID)
    }

    /// The app, or the app the extension belongs to.
    public var bundle: BundleID
    /// App or extension.
    public var role: Role

    /// Creates a principal.
    public init(bundle: BundleID, role: Role) {
        self.bundle = bundle
        self.role = role
    }
}
