internal import Sharing
internal import SystemSimulator
internal import Testing
internal import Vocabulary
internal import WhereaboutsTestKit

/// The rules of sealing, kept by the simulator's too, and the sizes of answers.
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
