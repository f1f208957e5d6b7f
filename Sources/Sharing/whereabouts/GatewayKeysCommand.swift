internal import ArgumentParser
internal import Crypto
internal import Foundation
internal import NIOHTTP1
internal import WhereaboutsPushGateway

/// `whereabouts gateway keys`.
struct GatewayKeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "List, add or remove provider keys.",
        discussion: """
            The gateway stores the public half of an added key in its database. The key is valid at once, also on open \
            connections. It pushes to its apps only; to change them, add it again with other apps. Keys of several teams \
            must all name their apps, and an app has one team. Keys of --key and --keys are listed, but changed only where they were \
            given; they take precedence over added keys with the same IDs.

            With --relay COUNT, on a gateway that relays, the key belongs to a sender: up to COUNT of its pushes a day go to \
            Apple. `whereabouts gateway senders` counts them.

            Examples:
              whereabouts gateway keys --control /run/whereabouts/gateway \\
                --add ABCDE12345:FGHIJ67890:AuthKey_FGHIJ67890.p8:com.example.FindFriends
              whereabouts gateway keys --control /run/whereabouts/gateway \\
                --add SELFHOST01:HOSTKEY001:their.pub:com.example.FindFriends --relay 1000
            """
    )

    /// A key to add.
    private struct NewKey: Encodable {
        let teamID: String
        let keyID: String
        let publicKey: String
        let apps: [String]
        let relayedADay: Int?

        init(_ key: ProviderKey) {
            self.teamID = key.teamID
            self.keyID = key.keyID
            self.publicKey = key.publicKey.pemRepresentation
            self.apps = key.apps
            self.relayedADay = key.relayedADay
        }
    }

    @Option(
        help: ArgumentHelp(
            "Add this key, or replace the key with the same IDs: a .p8 file, or a public key in PEM, and its apps.",
            valueName: "team:key-id:file[:app,app]"
        )
    )
    var add: String?

    @Option(
        help: ArgumentHelp(
            "With --add: number of pushes with this key to relay per day, 1 to 1000000.",
            valueName: "count"
        )
    )
    var relay: Int?

    @Option(help: ArgumentHelp("Remove this key, or all keys of this team.", valueName: "team[:key-id]"))
    var remove: String?

    @OptionGroup var control: ControlOption

    func validate() throws {
        guard self.add == nil || self.remove == nil else { throw ValidationError("give --add or --remove, not both") }
        guard self.relay == nil || self.add != nil else { throw ValidationError("--relay goes with --add") }
        if let add { try checkKeyOption(add) }
        if let relay {
            do { try ProviderKey.checkRelayed(relay) } catch { throw ValidationError("--relay \(error)") }
        }
        if let remove, !(1...2).contains(Self.ids(remove).count) || !Self.ids(remove).allSatisfy(ProviderKey.isID) {
            throw ValidationError("'\(remove)' is not TEAM or TEAM:KEY; each has 10 letters and digits")
        }
    }

    private static func ids(_ name: String) -> [String] {
        name.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    }

    func run() async throws {
        if let add {
            var key = try ProviderKey(option: add)
            key.relayedADay = self.relay
            let body = try JSONEncoder().encode(NewKey(key))
            let answer = try await self.control.ask("/keys", .PUT, body: body, as: [String: String].self)
            guard let answer else { return }
            Self.warn(answer)
            return try printLine("added \(key.name)")
        }
        if let remove {
            let path = "/keys/" + Self.ids(remove).joined(separator: "/")
            guard let answer = try await self.control.ask(path, .DELETE, as: [String: String].self) else { return }
            Self.warn(answer)
            return try printLine("removed \(remove)")
        }
        guard let keys = try await self.control.ask("/keys", as: [KeySummary].self) else { return }
        guard !keys.isEmpty else { return try printLine("no keys, so no push is accepted; add one with --add") }
        for key in keys {
            let apps = key.apps.isEmpty ? "all apps" : key.apps.joined(separator: ",")
            let isOverruled =
                key.isKept && keys.contains { !$0.isKept && $0.teamID == key.teamID && $0.keyID == key.keyID }
            let words = isOverruled ? "  not used: a key of --key or --keys has the same IDs" : Self.relayed(key)
            try printLine("\(key.teamID):\(key.keyID)  \(key.isKept ? "added" : "given")  \(apps)\(words)")
        }
    }

    /// Prints a warning for each answer that the operator may not expect.
    private static func warn(_ answer: [String: String]) {
        if let warning = answer["warning"] { printTrouble("Warning: \(warning)") }
    }

    /// The text about a sender's key; empty for other keys.
    private static func relayed(_ key: KeySummary) -> String {
        guard let count = key.relayedADay else { return "" }
        let others = key.apps.filter { !key.relayedApps.contains($0) }
        if key.relayedApps.isEmpty { return "  relays nothing: no --relay names its apps (\(count) a day)" }
        return "  relays \(count) a day" + (others.isEmpty ? "" : ", not for \(others.joined(separator: ","))")
    }
}

/// Checks a key option without reading its file: finds mistakes in its syntax.
///
/// - Throws: `ValidationError` naming the mistake and the remedy.
func checkKeyOption(_ option: String) throws {
    do { try ProviderKey.check(option: option) } catch { throw ValidationError("\(error)") }
}
