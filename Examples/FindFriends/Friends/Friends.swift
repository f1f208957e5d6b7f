import Foundation
public import Sharing

/// The files the app and its extension share: on iOS in an app group, here in the app's container.
public enum Friends {
    /// The app's bundle identifier.
    public static let bundleIdentifier = "com.example.FindFriends"

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
    /// - Returns: the home of the person who uses this device.
    /// - Throws: `SharingError`.
    public static func home(settings: ServerSettings? = nil) throws -> SharingHome {
        guard let settings else { return try SharingHome(path: self.path) }
        return try SharingHome.openOrCreate(path: self.path, settings: settings)
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
