public import Testing
public import WhereaboutsSharing

/// The rules that every ``Sharing/Sealing`` follows, in each of its suites; both sides rely on them.
///
/// ```swift
/// @Test(arguments: SealingRule.allCases) func mySealingKeeps(_ rule: SealingRule) throws {
///     try rule.check(MySealing())
/// }
/// ```
public enum SealingRule: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// A sealed message opens, and is longer than its plaintext by exactly the overhead of its cipher suite.
    case whatIsSealedOpens
    /// Opening fails with a wrong key, with other information, or with only a part of the message.
    case nothingElseOpens
    /// A sealed message with any byte changed does not open.
    case everyByteCounts
    /// Two keys are never the same, and neither are two sealed messages.
    case nothingIsUsedTwice
    /// An invalid key, and a message that cannot be created, are errors.
    case whatCannotBeSealedIsAnError

    /// The name of the rule.
    public var testDescription: String { self.rawValue }

    /// Checks the rule; a violation is an issue of the running test.
    ///
    /// - Parameter sealing: the implementation to check.
    /// - Throws: an error of `sealing` that breaks the rule.
    public func check(_ sealing: some Sealing) throws {
        for suite in Suite.allCases {
            switch self {
            case .whatIsSealedOpens: try Self.whatIsSealedOpens(sealing, suite)
            case .nothingElseOpens: try Self.nothingElseOpens(sealing, suite)
            case .everyByteCounts: try Self.everyByteCounts(sealing, suite)
            case .nothingIsUsedTwice: try Self.nothingIsUsedTwice(sealing, suite)
            case .whatCannotBeSealedIsAnError: try Self.whatCannotBeSealedIsAnError(sealing, suite)
            }
        }
    }
}

/// The reason why the message is intentionally missing.
private struct NoMessage: Error {}

extension SealingRule {
    private static let cannotOpen = SharingError(.cannotOpen, "")

    private static func whatIsSealedOpens(_ sealing: some Sealing, _ suite: Suite) throws {
        let key = try sealing.makeKey(suite: suite)
        #expect(key.suite == suite && key.publicKey.count == suite.publicKeyByteCount)
        for message in [[], [4, 5, 6], Array(repeating: 9, count: 256)] as [[UInt8]] {
            let sealed = try sealing.seal(to: key.publicKey, suite: suite, info: [1, 2, 3]) { message }
            #expect(sealed.count == suite.encapsulatedKeyByteCount + message.count + 16)
            #expect(try sealing.open(sealed, with: key, info: [1, 2, 3]) == message)
        }
    }

    private static func nothingElseOpens(_ sealing: some Sealing, _ suite: Suite) throws {
        let key = try sealing.makeKey(suite: suite)
        let sealed = try sealing.seal(to: key.publicKey, suite: suite, info: [1]) { [4, 5, 6] }
        #expect(throws: self.cannotOpen) { try sealing.open(sealed, with: key, info: [2]) }
        #expect(throws: self.cannotOpen) { try sealing.open(sealed, with: key, info: []) }
        #expect(throws: self.cannotOpen) { try sealing.open(sealed, with: sealing.makeKey(suite: suite), info: [1]) }
        let parts = [0, 1, suite.encapsulatedKeyByteCount, suite.encapsulatedKeyByteCount + 1, sealed.count - 1]
        for count in parts {
            #expect(throws: self.cannotOpen) { try sealing.open(Array(sealed.prefix(count)), with: key, info: [1]) }
        }
        #expect(throws: self.cannotOpen) { try sealing.open(sealed + [0], with: key, info: [1]) }
    }

    private static func everyByteCounts(_ sealing: some Sealing, _ suite: Suite) throws {
        let key = try sealing.makeKey(suite: suite)
        let sealed = try sealing.seal(to: key.publicKey, suite: suite, info: [1]) { [4, 5, 6] }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: self.cannotOpen, "byte \(index)") { try sealing.open(changed, with: key, info: [1]) }
        }
    }

    private static func nothingIsUsedTwice(_ sealing: some Sealing, _ suite: Suite) throws {
        let key = try sealing.makeKey(suite: suite)
        #expect(try sealing.makeKey(suite: suite) != key)
        let two = try (0..<2).map { _ in try sealing.seal(to: key.publicKey, suite: suite, info: []) { [4, 5, 6] } }
        #expect(two[0].prefix(suite.encapsulatedKeyByteCount) != two[1].prefix(suite.encapsulatedKeyByteCount))
        #expect(two[0].suffix(19) != two[1].suffix(19))
    }

    private static func whatCannotBeSealedIsAnError(_ sealing: some Sealing, _ suite: Suite) throws {
        let key = try sealing.makeKey(suite: suite).publicKey
        for wrong in [[], Array(key.dropLast()), key + [0]] {
            #expect(throws: (any Error).self) { try sealing.seal(to: wrong, suite: suite, info: []) { [4] } }
        }
        #expect(throws: NoMessage.self) { try sealing.seal(to: key, suite: suite, info: []) { throw NoMessage() } }
    }
}
