import Foundation
public import WhereaboutsSharing

/// The files that the app and its extension share, and their way to the server.
///
/// On Linux the files are in the app's container; on iOS they are in the app group, and the signing key is in the keychain.
public struct Friends: Sendable {
    /// The app's bundle identifier, which is also the topic of its pushes.
    public static var bundleIdentifier: String {
        #if os(iOS)
        Self.setting("FindFriendsBundleIdentifier")
        #else
        "com.example.FindFriends"
        #endif
    }

    private let path: String?
    private let transport: (any ServerTransport)?
    private let keys: (any IdentityStore)?

    /// Finds the files; a test brings its own.
    ///
    /// - Parameters:
    ///   - path: the directory of the files; that of the container or the app group, if not given.
    ///   - transport: the way to the server; HTTPS, if not given.
    ///   - keys: the place of the signing key; the keychain on iOS and a file on Linux, if not given.
    public init(
        path: String? = nil,
        transport: (any ServerTransport)? = nil,
        keys: (any IdentityStore)? = Self.keys
    ) {
        self.path = path
        self.transport = transport
        self.keys = keys
    }

    /// The place of the signing key: the keychain on iOS; nil on Linux, where it is one of the files.
    public static var keys: (any IdentityStore)? {
        #if os(iOS)
        KeychainIdentity()
        #else
        nil
        #endif
    }

    /// The directory of the files.
    public static var path: String {
        get throws {
            #if os(iOS)
            let group = Self.setting("FindFriendsAppGroup")
            guard let support = FileManager.default.containerURL(forSecurityApplicationGroupIdentifier: group) else {
                throw SharingError(
                    .badProfile,
                    "the app group \(group) is missing: add it to the entitlements of both targets"
                )
            }
            #else
            let support = try FileManager.default.url(
                for: .applicationSupportDirectory,
                in: .userDomainMask,
                appropriateFor: nil,
                create: true
            )
            #endif
            return support.appending(path: "sharing").path(percentEncoded: false)
        }
    }

    #if os(iOS)
    /// A value that the Info.plist of the app and that of the extension hold.
    private static func setting(_ key: String) -> String {
        guard let value = Bundle.main.object(forInfoDictionaryKey: key) as? String else {
            fatalError("the Info.plist of \(Bundle.main.bundlePath) lacks \(key)")
        }
        return value
    }
    #endif

    /// Opens the files, or makes them at the first launch.
    ///
    /// - Parameter settings: the server, at the first launch.
    /// - Returns: the person who uses this device, as one who shares.
    /// - Throws: `SharingError`; the error of the keychain while it is locked.
    public func sharer(settings: ServerSettings? = nil) throws -> Sharer {
        try Sharer(profile: self.profile(settings: settings), transport: self.transport)
    }

    /// Opens the files.
    ///
    /// - Returns: the person who uses this device, as one who asks.
    /// - Throws: as ``sharer(settings:)``.
    public func requester() throws -> Requester {
        try Requester(profile: self.profile(settings: nil), transport: self.transport)
    }

    /// The state of the files when the app begins.
    public enum Opening: Sendable {
        /// The person may share and ask.
        case ready(Sharer, Requester)
        /// It is the first launch: the person has named no server.
        case new
        /// The files or the key cannot be read, for this reason.
        case failed(String)
    }

    /// Opens the files at the beginning of the app, and says why they cannot be opened.
    ///
    /// - Parameter settings: the server, at the first launch.
    /// - Returns: the person as one who shares and as one who asks, or the reason why there is nobody.
    public func open(settings: ServerSettings? = nil) -> Opening {
        do {
            let path = try self.path ?? Self.path
            if settings == nil, !FileManager.default.fileExists(atPath: path) { return .new }
            return .ready(try self.sharer(settings: settings), try self.requester())
        } catch {
            return .failed("Your profile cannot be opened: \(error)")
        }
    }

    private func profile(settings: ServerSettings?) throws -> SharingProfile {
        let path = try self.path ?? Self.path
        guard let settings else { return try SharingProfile(path: path, identityStore: self.keys) }
        return try SharingProfile.openOrCreate(path: path, settings: settings, identityStore: self.keys)
    }

    /// Shows the person the answers that their device gave and they have not heard of, or the sum of a day.
    ///
    /// - Parameter profile: theirs.
    public static func tell(of profile: SharingProfile) {
        do {
            for notice in try profile.news() { Screen.show(notice.words(in: profile)) }
        } catch {
            Screen.show("the answers that your friends got cannot be shown: \(error)")
        }
    }
}
