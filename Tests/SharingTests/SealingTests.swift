internal import Sharing
internal import Testing

struct SealingTests {
    let sealing = HPKESealing()

    @Test(arguments: Suite.allCases)
    func roundTrip(suite: Suite) throws {
        let key = try self.sealing.makeKey(suite: suite)
        #expect(key.publicKey.count == suite.publicKeyByteCount)
        let sealed = try self.sealing.seal(to: key.publicKey, suite: suite, info: [1, 2, 3]) { [4, 5, 6] }
        #expect(sealed.count == suite.encapsulatedKeyByteCount + 3 + 16)
        #expect(try self.sealing.open(sealed, with: key, info: [1, 2, 3]) == [4, 5, 6])
    }

    @Test(arguments: Suite.allCases)
    func nothingElseOpens(suite: Suite) throws {
        let key = try self.sealing.makeKey(suite: suite)
        let sealed = try self.sealing.seal(to: key.publicKey, suite: suite, info: [1]) { [4, 5, 6] }
        let cannotOpen = SharingError(.cannotOpen, "")
        #expect(throws: cannotOpen) { try self.sealing.open(sealed, with: key, info: [2]) }
        #expect(throws: cannotOpen) {
            try self.sealing.open(sealed, with: self.sealing.makeKey(suite: suite), info: [1])
        }
        #expect(throws: cannotOpen) { try self.sealing.open(Array(sealed.dropLast()), with: key, info: [1]) }
        #expect(throws: cannotOpen) { try self.sealing.open([], with: key, info: [1]) }
        var changed = sealed
        changed[changed.count - 1] ^= 1
        #expect(throws: cannotOpen) { try self.sealing.open(changed, with: key, info: [1]) }
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
