import Foundation
import Friends
import WhereaboutsSharing

/// The app on Linux: `locationctl run` starts it, and the terminal is its screen.
///
/// On iOS the views of `Examples/FindFriends-iOS` take its place.
@main
struct FindFriendsApp {
    static func main() async {
        let sharer: Sharer
        do {
            sharer = try Friends().sharer(settings: ServerSettings.fromArguments())
        } catch {
            // Before any session is taken: one that was left by an earlier launch is not ended by this.
            Screen.show("FindFriends cannot be opened: \(error)")
            exit(1)
        }
        await Self.run(sharer)
    }

    /// Shares until the app is ended.
    static func run(_ sharer: Sharer) async {
        await SharingApp.run(sharer) { Screen.show($0.words) }
    }
}

extension ServerSettings {
    /// The server named with `--server URL [--trust-roots FILE]` at the first launch; nil afterwards.
    fileprivate static func fromArguments() throws -> ServerSettings? {
        let arguments = ProcessInfo.processInfo.arguments
        func value(after option: String) -> String? {
            guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else { return nil }
            return arguments[index + 1]
        }
        guard let server = value(after: "--server") else { return nil }
        return try ServerSettings(server: server, trustRoots: value(after: "--trust-roots"))
    }
}
