internal import WhereaboutsAPNS

/// A parsed key option: `TEAMID:KEYID:FILE` or `TEAMID:KEYID:FILE:APP,APP…`; the file is not opened yet.
struct KeyOption {
    let teamID: String
    let keyID: String
    /// The file with the key.
    let path: String
    /// The bundle identifiers; empty when the option names none.
    let apps: [String]

    /// - Throws: ``GatewayError`` naming the mistake and the remedy.
    init(_ option: String) throws {
        let parts = option.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
        guard (3...4).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else {
            throw GatewayError(
                .badKey,
                "\(option): is not TEAMID:KEYID:FILE or TEAMID:KEYID:FILE:APP,APP; give for example "
                    + "ABCDE12345:FGHIJ67890:AuthKey.p8:com.example.FindFriends"
            )
        }
        for id in parts[...1] where !ProviderKey.isID(id) {
            throw GatewayError(
                .badKey,
                "'\(id)' in \(option): not a team or key ID; expected 10 letters and digits"
            )
        }
        let apps = parts.count == 4 ? parts[3].split(separator: ",", omittingEmptySubsequences: false) : []
        for app in apps where !Topic.isBundleIdentifier(app) {
            throw GatewayError(.badKey, "'\(app)' in \(option) is not a bundle identifier; write com.example.App")
        }
        (self.teamID, self.keyID, self.path, self.apps) = (parts[0], parts[1], parts[2], apps.map(String.init))
    }
}
