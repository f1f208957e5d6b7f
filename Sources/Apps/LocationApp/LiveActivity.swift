package import CoreLocation

/// A text that a person sees while the app is in the background; it keeps the app in use without a background session.
///
/// The device shows it with other indicators (`locationctl status`), and the person can dismiss it. It survives the
/// process and this object: it ends with ``end()``, when it is dismissed, or after eight hours.
/// ```swift
/// let ride = try LiveActivity.start(title: "Ride to Anna")
/// for try await update in CLLocationUpdate.liveUpdates(.otherNavigation) {
///     if let location = update.location { try ride.update(title: remaining(from: location)) }
///     if update.authorizationDenied { break }
/// }
/// ride.end()
/// ```
public final class LiveActivity: Sendable {
    /// The longest title, in bytes of UTF-8; it fits on a line of a terminal or a phone.
    public static var titleBytesMax: Int { 128 }

    private let client: LocationClient
    private let id: UInt64

    private init(client: LocationClient, title: String) throws(LiveActivityError) {
        try Self.check(title)
        self.client = client
        self.id = client.holdLiveActivity(title: title)
    }

    /// Starts an activity; the app must be in the foreground.
    ///
    /// - Parameter title: what the person sees; not empty, at most ``titleBytesMax`` bytes.
    /// - Returns: the activity.
    /// - Throws: ``LiveActivityError``.
    public static func start(title: String) throws(LiveActivityError) -> LiveActivity {
        try self.start(title: title, client: .current())
    }

    package static func start(title: String, client: LocationClient) throws(LiveActivityError) -> LiveActivity {
        let mirror = client.mirror
        guard mirror.isConnected else { throw LiveActivityError(.unreachable) }
        guard mirror.phase == .foreground else { throw LiveActivityError(.notInForeground) }
        return try LiveActivity(client: client, title: title)
    }

    /// Continues an activity of an earlier process, to change or end it, even in the background.
    ///
    /// If no activity with this title exists, a new one begins as soon as the app is in the foreground.
    ///
    /// - Parameter title: the title of the activity.
    /// - Returns: the activity.
    /// - Throws: ``LiveActivityError``.
    public static func resume(title: String) throws(LiveActivityError) -> LiveActivity {
        try self.resume(title: title, client: .current())
    }

    package static func resume(title: String, client: LocationClient) throws(LiveActivityError) -> LiveActivity {
        guard client.mirror.isConnected else { throw LiveActivityError(.unreachable) }
        return try LiveActivity(client: client, title: title)
    }

    /// Changes the title that the person sees; does nothing after the activity has ended.
    ///
    /// - Parameter title: the new title, with the limits of ``start(title:)``.
    /// - Throws: ``LiveActivityError``.
    public func update(title: String) throws(LiveActivityError) {
        try Self.check(title)
        self.client.renameLiveActivity(self.id, title: title)
    }

    /// Ends the activity at once and permanently.
    public func end() { self.client.giveUp(self.id) }

    private static func check(_ title: String) throws(LiveActivityError) {
        guard !title.isEmpty, title.utf8.count <= self.titleBytesMax else {
            throw LiveActivityError(.badTitle(bytes: title.utf8.count))
        }
    }
}

/// The error when a live activity cannot be started or changed.
public struct LiveActivityError: Error, Sendable, Hashable, CustomStringConvertible {
    enum Reason: Hashable {
        case notInForeground
        case unreachable
        case badTitle(bytes: Int)
    }

    let reason: Reason

    init(_ reason: Reason) {
        self.reason = reason
    }

    /// The app was not in the foreground.
    public static var notInForeground: LiveActivityError { LiveActivityError(.notInForeground) }
    /// locationd cannot be reached, so the activity cannot be shown.
    public static var unreachable: LiveActivityError { LiveActivityError(.unreachable) }

    /// The cause of the error, and its remedy.
    public var description: String {
        switch self.reason {
        case .notInForeground:
            "A live activity starts while a person sees the app; start it when AppLifecycle.phase is foreground."
        case .unreachable:
            "locationd cannot be reached, so the activity cannot be shown; see `locationctl status`."
        case .badTitle(let bytes):
            "A live activity's title has 1 to \(LiveActivity.titleBytesMax) bytes of UTF-8; this one has \(bytes)."
        }
    }
}
