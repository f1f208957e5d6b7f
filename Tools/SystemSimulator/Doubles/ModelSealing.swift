internal import Synchronization
package import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Seals in the simulator, in place of HPKE: deterministic, with the same sizes, and not secret.
///
/// It passes the test suite of ``Sharing/Sealing``: without the right key, info and bytes a sealed text does not open.
package final class ModelSealing: Sealing {
    private let random: Mutex<SeededGenerator>

    package init(seed: UInt64) {
        self.random = Mutex(SeededGenerator(seed: seed))
    }

    package func makeKey(suite: Suite) -> RequestKey {
        let secret = self.draw(32)
        return RequestKey(suite: suite, publicKey: Self.publicKey(of: secret, suite), secret: secret)
    }

    package func seal(
        to publicKey: [UInt8],
        suite: Suite,
        info: [UInt8],
        message: () throws -> [UInt8]
    ) throws -> [UInt8] {
        guard publicKey.count == suite.publicKeyByteCount else {
            throw SharingError(
                .badBytes,
                "a public key of \(suite) has \(suite.publicKeyByteCount) bytes, got \(publicKey.count); make one with makeKey"
            )
        }
        let encapsulated = self.draw(suite.encapsulatedKeyByteCount)
        let plain = try message()
        let key = Self.key(publicKey, info, encapsulated)
        let cipher = key.masking(plain)
        return encapsulated + cipher + Self.tag(key, cipher)
    }

    package func open(_ sealed: [UInt8], with key: RequestKey, info: [UInt8]) throws -> [UInt8] {
        let encapsulated = Array(sealed.prefix(key.suite.encapsulatedKeyByteCount))
        let cipher = Array(sealed.dropFirst(encapsulated.count).dropLast(Self.tagByteCount))
        let shared = Self.key(Self.publicKey(of: key.secret, key.suite), info, encapsulated)
        guard sealed.suffix(Self.tagByteCount) == Self.tag(shared, cipher)[...] else {
            throw SharingError(
                .cannotOpen,
                "the answer cannot be opened: it was sealed to another key or request; ask again"
            )
        }
        return shared.masking(cipher)
    }

    private static let tagByteCount = 16

    private static func publicKey(of secret: [UInt8], _ suite: Suite) -> [UInt8] {
        var hash = ModelHash()
        hash.add(secret)
        return hash.bytes(suite.publicKeyByteCount)
    }

    private static func key(_ publicKey: [UInt8], _ info: [UInt8], _ encapsulated: [UInt8]) -> ModelHash {
        var hash = ModelHash()
        hash.add(publicKey)
        hash.add(info)
        hash.add(encapsulated)
        return hash
    }

    private static func tag(_ key: ModelHash, _ cipher: [UInt8]) -> [UInt8] {
        var hash = key
        hash.add(cipher)
        return hash.bytes(self.tagByteCount)
    }

    private func draw(_ count: Int) -> [UInt8] {
        self.random.withLock { random in
            var hash = ModelHash()
            hash.add((0..<8).map { UInt8(truncatingIfNeeded: random.next() >> UInt64($0 * 8)) })
            return hash.bytes(count)
        }
    }
}
