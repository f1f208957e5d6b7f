internal import Sharing
internal import SystemSimulator
internal import Testing

/// What every sealing must do, the simulator's too.
struct SealingTests {
    /// Who seals.
    enum Kind: CaseIterable {
        case hpke
        case model

        var sealing: any Sealing {
            switch self {
            case .hpke: HPKESealing()
            case .model: ModelSealing(seed: 1)
            }
        }
    }

    private let cannotOpen = SharingError(.cannotOpen, "")

    @Test(arguments: Kind.allCases, Suite.allCases)
    func roundTrip(kind: Kind, suite: Suite) throws {
        let sealing = kind.sealing
        let key = try sealing.makeKey(suite: suite)
        #expect(key.suite == suite && key.publicKey.count == suite.publicKeyByteCount)
        for message in [[], [4, 5, 6], Array(repeating: 9, count: 256)] as [[UInt8]] {
            let sealed = try sealing.seal(to: key.publicKey, suite: suite, info: [1, 2, 3]) { message }
            #expect(sealed.count == suite.encapsulatedKeyByteCount + message.count + 16)
            #expect(try sealing.open(sealed, with: key, info: [1, 2, 3]) == message)
        }
    }

    @Test(arguments: Kind.allCases, Suite.allCases)
    func nothingElseOpens(kind: Kind, suite: Suite) throws {
        let sealing = kind.sealing
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

    /// Goal: nothing of what is sealed can be changed on the way.
    ///
    /// Method: change every byte, one after the other.
    @Test(arguments: Kind.allCases, Suite.allCases)
    func everyByteCounts(kind: Kind, suite: Suite) throws {
        let sealing = kind.sealing
        let key = try sealing.makeKey(suite: suite)
        let sealed = try sealing.seal(to: key.publicKey, suite: suite, info: [1]) { [4, 5, 6] }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: self.cannotOpen, "byte \(index)") { try sealing.open(changed, with: key, info: [1]) }
        }
    }

    @Test(arguments: Kind.allCases, Suite.allCases)
    func nothingIsUsedTwice(kind: Kind, suite: Suite) throws {
        let sealing = kind.sealing
        let key = try sealing.makeKey(suite: suite)
        #expect(try sealing.makeKey(suite: suite) != key)
        let two = try (0..<2).map { _ in try sealing.seal(to: key.publicKey, suite: suite, info: []) { [4, 5, 6] } }
        #expect(two[0].prefix(suite.encapsulatedKeyByteCount) != two[1].prefix(suite.encapsulatedKeyByteCount))
        #expect(two[0].suffix(19) != two[1].suffix(19))
    }

    @Test(arguments: Kind.allCases, Suite.allCases)
    func whatCannotBeSealedIsAnError(kind: Kind, suite: Suite) throws {
        struct NoMessage: Error {}
        let sealing = kind.sealing
        let key = try sealing.makeKey(suite: suite).publicKey
        for wrong in [[], Array(key.dropLast()), key + [0]] {
            #expect(throws: (any Error).self) { try sealing.seal(to: wrong, suite: suite, info: []) { [4] } }
        }
        #expect(throws: NoMessage.self) { try sealing.seal(to: key, suite: suite, info: []) { throw NoMessage() } }
    }

    /// Goal: the server cannot tell a refusal from a position, nor a long reason from a short one, by its size.
    @Test func everyAnswerHasOneSize() throws {
        let contents: [Answer.Content] = [
            .fix(try berlin.get()), .refusal(""), .refusal(String(repeating: "ä", count: 1000)), .unavailable("no sky"),
        ]
        for content in contents {
            let answer = Answer(content: content, timings: timings)
            #expect(answer.paddedBytes.count == 256)
        }
    }

    @Test func answersSurviveTheirBytes() throws {
        let fix = Answer(content: .fix(try berlin.get()), timings: timings)
        #expect(try Answer(paddedBytes: fix.paddedBytes) == fix)
        let plain = Answer(
            content: .fix(
                try SharedFix(latitude: -90, longitude: 180, horizontalAccuracy: 0, time: WallTime(milliseconds: -1))
            ),
            timings: timings
        )
        #expect(try Answer(paddedBytes: plain.paddedBytes) == plain)
        for content in [Answer.Content.refusal("not today"), .unavailable("no sky")] {
            let answer = Answer(content: content, timings: timings)
            #expect(try Answer(paddedBytes: answer.paddedBytes) == answer)
        }
        var changed = fix.paddedBytes
        changed[255] = 1
        #expect(throws: SharingError(.badBytes, "")) { try Answer(paddedBytes: changed) }
        #expect(throws: SharingError(.badBytes, "")) { try Answer(paddedBytes: Array(fix.paddedBytes.dropLast())) }
    }
}
