/// The storage of provider keys that an operator added to the running gateway.
public protocol ProviderKeyStore: Sendable {
    /// Returns all keys, in the order of their teams and ids.
    func providerKeys() throws -> [ProviderKey]

    /// Stores a key durably, replacing one with the same team and ID.
    func put(_ key: ProviderKey) throws

    /// Removes a key, or all keys of a team when no id is given.
    ///
    /// - Returns: whether there was such a key.
    func removeProviderKeys(teamID: String, keyID: String?) throws -> Bool
}
