internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

struct ValueTests {
    @Test func idsHaveOneText() throws {
        let id = try #require(RequestID("000102030405060708090a0b0c0d0eff"))
        #expect(id.description == "000102030405060708090a0b0c0d0eff")
        #expect(id.bytes.last == 255)
        #expect(RequestID("000102030405060708090A0B0C0D0EFF") == nil)
        #expect(RequestID("000102030405060708090a0b0c0d0e") == nil)
        #expect(RequestID("000102030405060708090a0b0c0d0e0") == nil)
        #expect(GrantID("00 102030405060708090a0b0c0d0eff") == nil)
        #expect(GrantID(bytes: [1, 2, 3]) == nil)
        #expect(PublicIdentity(bytes: Array(repeating: 0, count: 31)) == nil)
    }

    @Test func timesStayOnTheCalendar() {
        #expect(noon.duration(to: noon.advanced(by: .milliseconds(1500))) == .milliseconds(1500))
        #expect(WallTime(milliseconds: .max).advanced(by: .seconds(1)).milliseconds == .max)
        #expect(WallTime(milliseconds: .min).advanced(by: .seconds(-1)).milliseconds == .min)
        #expect(after(-1) < noon)
    }

    /// Goal: programs read an error code that no text of a server can imitate.
    @Test func theCodeOfAStateIsItsRuleOrItsKind() {
        let rule = RequestState(.refused, at: noon, rule: .revoked)
        #expect(rule.code == "revoked" && rule.reason == Refusal.revoked.reason)
        #expect(RequestState(.refused, at: noon, reason: Refusal.revoked.reason).code == "refused")
        #expect(
            Answer.Content.refusal(.usedUp).code == "usedUp" && Answer.Content.unavailable("").code == "unavailable"
        )
    }

    /// Goal: texts of a server or a sharer cannot look like ours on a terminal, or erase ours.
    @Test func wordsOfOthersSteerNoTerminal() {
        let words = "no\u{1B}[2J\u{9B}31m\r\nanswered\u{202E}x\u{2028}y"
        let plain = "no [2J 31m  answeredx y"
        #expect(RequestState(.refused, at: noon, reason: words).reason == plain)
        #expect(SharingError(.refused, words).message == plain)
        let long = String(repeating: "a", count: 100_000)
        #expect(RequestState(.refused, at: noon, reason: long).reason.utf8.count == RequestState.reasonBytesMax)
        #expect(SharingError(.refused, long).message.utf8.count == SharingError.messageBytesMax)
        // A character of 70,000 accents is limited to as many bytes as other texts.
        let accents = "a" + String(repeating: "\u{301}", count: 70_000)
        #expect(RequestState(.refused, at: noon, reason: accents).reason.utf8.count <= RequestState.reasonBytesMax)
    }
}
