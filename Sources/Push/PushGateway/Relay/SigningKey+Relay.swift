public import WhereaboutsAPNSClient

extension SigningKey {
    /// Reads `TEAMID:KEYID:FILE:APP,APP…`: the vendor's `.p8` from Apple, and the apps to relay.
    ///
    /// - Throws: ``GatewayError`` naming the mistake and the remedy.
    public init(relayOption text: String) throws {
        let option = try KeyOption(text)
        guard !option.apps.isEmpty else {
            throw GatewayError(
                .badKey,
                "\(text): names no apps; add those that pushes are sent for, as in \(text):com.example.FindFriends"
            )
        }
        do {
            try self.init(
                teamID: option.teamID,
                keyID: option.keyID,
                path: option.path,
                apps: Set(option.apps)
            )
        } catch {
            throw GatewayError(.badKey, "\(error)")
        }
    }
}
