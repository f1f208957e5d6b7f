import Foundation
public import WhereaboutsSharing

/// The files that the app and its extension share, on iOS in an app group, here in the app's container; and their way to the server.
public struct Friends: Sendable {
    /// The app's bundle identifier.
    public static let bundleIdentifier = "com.example.FindFriends"

    private let path: String?
    private let transport: (any ServerTransport)?

    /// Finds what they share; a test brings its own.
    ///
    /// - Parameters:
    ///   - path: the directory of the files; that of the container, if not given.
    ///   - transport: the way to the server; HTTPS, if not given.
    public init(path: String? = nil, transport: (any ServerTransport)? = nil) {
        self.path = path
        self.transport = transport
    }

    /// Where identity, grants and revocations are.
    public static var path: String {
        get throws {
            let support = try FileManager.default.url(
                for: .applicationSupportDirectory,
                in: .userDomainMask,
                appropriateFor: nil,
                create: true
            )
            return support.appending(path: "sharing").path(percentEncoded: false)
        }
    }

    /// Opens the files, or makes them at the first launch.
    ///
    /// - Parameter settings: the server, at the first launch.
    /// - Returns: the person who uses this device, as one who shares.
    /// - Throws: `SharingError`.
    public func sharer(settings: ServerSettings? = nil) throws -> Sharer {
        let path = try self.path ?? Self.path
        let home =
            try settings.map { try SharingHome.openOrCreate(path: path, settings: $0) } ?? SharingHome(path: path)
        return try Sharer(home: home, transport: self.transport)
    }

    /// Shows the person the answers that their device gave and they have not heard of, or the sum of a day.
    ///
    /// - Parameter home: theirs.
    public static func tell(of home: SharingHome) {
        do {
            for notice in try home.news() { Screen.show(notice.words(in: home)) }
        } catch {
            Screen.show("the answers that your friends got cannot be shown: \(error)")
        }
    }
}
