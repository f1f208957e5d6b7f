/// A place for a person's signing key outside the directory of a ``SharingProfile``, such as the keychain of an iPhone.
///
/// An app and its extension use one store, as they use one directory.
public protocol IdentityStore: Sendable {
    /// Reads the key.
    ///
    /// - Returns: the 32 bytes of the key; nil if the store holds none.
    /// - Throws: if the store's key cannot be read now, for example because the device was not unlocked since it started.
    func read() throws -> [UInt8]?

    /// Stores a key, unless the store already has one.
    ///
    /// - Parameter key: 32 bytes.
    /// - Returns: whether the key was stored; false if another one was there, which stays.
    /// - Throws: if the key cannot be stored.
    func create(_ key: [UInt8]) throws -> Bool
}
