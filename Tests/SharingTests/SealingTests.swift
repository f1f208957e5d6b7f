internal import SystemSimulator
internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsTestKit
internal import WhereaboutsVocabulary

/// Tests the rules of sealing, for the real implementation and the simulator's, and the sizes of answers.
struct SealingTests {
    /// The two makers of seals.
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

    @Test(arguments: Kind.allCases, SealingRule.allCases)
    func everySealingKeepsTheRules(_ kind: Kind, _ rule: SealingRule) throws {
        try rule.check(kind.sealing)
    }

    /// Goal: by size, the server cannot distinguish a refusal from a position, or a long reason from a short one.
    @Test func everyAnswerHasOneSize() throws {
        let contents: [Answer.Content] = [
            .fix(try berlin.get()), .refusal(.revoked), .unavailable(""),
            .unavailable(String(repeating: "ä", count: 1000)),
        ]
        for content in contents {
            let answer = Answer(content: content, timings: timings)
            #expect(answer.paddedBytes.count == 256)
            let key = try HPKESealing().makeKey(suite: .xWing).publicKey
            let sealed = try HPKESealing().seal(to: key, suite: .xWing, info: []) { answer.paddedBytes }
            let identity = try Identity()
            let request = RequestID(high: 1, low: 2)
            let signed = try identity.sign(
                SealedAnswer(request: request, sharer: identity.publicIdentity, sealed: sealed)
            )
            #expect(signed.bytes.count == SealedAnswer.longestByteCount)
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
        for content in Refusal.allCases.map(Answer.Content.refusal) + [.unavailable("no sky")] {
            let answer = Answer(content: content, timings: timings)
            #expect(try Answer(paddedBytes: answer.paddedBytes) == answer)
        }
        var changed = fix.paddedBytes
        changed[255] = 1
        #expect(throws: SharingError(.badBytes, "")) { try Answer(paddedBytes: changed) }
        #expect(throws: SharingError(.badBytes, "")) { try Answer(paddedBytes: Array(fix.paddedBytes.dropLast())) }
        // The tag and the rule follow twelve bytes.
        var unknown = Answer(content: .refusal(.revoked), timings: timings).paddedBytes
        #expect(unknown[12] == 2 && unknown[13] == 1)
        unknown[13] = 99
        #expect(throws: SharingError(.badBytes, "")) { try Answer(paddedBytes: unknown) }
    }

    /// Points with which every key agrees on zeros, in all their encodings (RFC 7748, section 6.1).
    private static let lowOrder: [[UInt8]] = [
        Array(repeating: 0, count: 32), [1] + Array(repeating: 0, count: 31),
        [0xEC] + Array(repeating: 0xFF, count: 30) + [0x7F], [0xED] + Array(repeating: 0xFF, count: 30) + [0x7F],
        [0xEE] + Array(repeating: 0xFF, count: 30) + [0x7F], Array(repeating: 0, count: 31) + [0x80],
    ]

    /// Goal: nothing is sealed with a key whose secret anyone knows (RFC 9180, section 7.1.4), and such contents are
    /// not opened.
    @Test(arguments: SealingTests.lowOrder) func aKeyOfLowOrderIsNone(key: [UInt8]) throws {
        let sealing = HPKESealing()
        #expect(throws: SharingError(.badBytes, "")) { try sealing.seal(to: key, suite: .x25519, info: []) { [4] } }
        let mine = try sealing.makeKey(suite: .x25519)
        #expect(throws: SharingError(.cannotOpen, "")) {
            try sealing.open(key + Array(repeating: 0, count: 17), with: mine, info: [])
        }
    }

    /// Goal: a request with a key to which no answer can be sealed is rejected, on the server and on the device.
    @Test func aRequestForAKeyOfNobodyDoesNotVerify() throws {
        let pair = try Pair()
        for suite in Suite.allCases {
            let key = try HPKESealing().makeKey(suite: suite).publicKey
            _ = try pair.request(suite: suite, publicKey: key).verified()
            let wrong = Array(repeating: suite == .xWing ? UInt8(0xFF) : 0, count: key.count)
            let request = try pair.request(suite: suite, publicKey: wrong)
            #expect(throws: SharingError(.badBytes, "")) { try request.verified() }
        }
    }
}
