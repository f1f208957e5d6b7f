/// Seals and opens answers; the simulator has a deterministic implementation.
public protocol Sealing: Sendable {
    /// Makes a fresh key pair.
    func makeKey(suite: Suite) throws -> RequestKey

    /// Seals a message to a public key.
    ///
    /// - Parameters:
    ///   - publicKey: the recipient's public key.
    ///   - suite: the algorithms.
    ///   - info: bytes that both sides must agree on for the message to open.
    ///   - message: makes the message after the key was encapsulated, so that the message can contain how long that took.
    /// - Returns: the encapsulated key, then the ciphertext.
    /// - Throws: when the public key does not belong to the suite, or what `message` throws.
    func seal(to publicKey: [UInt8], suite: Suite, info: [UInt8], message: () throws -> [UInt8]) throws -> [UInt8]

    /// Opens the result of ``seal(to:suite:info:message:)``.
    func open(_ sealed: [UInt8], with key: RequestKey, info: [UInt8]) throws -> [UInt8]
}
