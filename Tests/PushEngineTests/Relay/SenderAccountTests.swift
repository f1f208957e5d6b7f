internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsPushEngine

@Suite struct SenderAccountTests {
    @Test func entriesAreReadAsTheyAreWritten() {
        let entries = [SenderAccount.Entry.sent, .unsent, .accepted] + Reason.allCases.map { .rejected($0) }
        for entry in entries { #expect(SenderAccount.Entry(rawValue: entry.rawValue) == entry) }
        #expect(SenderAccount.Entry(rawValue: "") == nil && SenderAccount.Entry(rawValue: "Sent") == nil)
    }

    @Test(arguments: [(0, 0), (86_399, 0), (86_400, 1), (-1, -1), (-86_400, -1), (-86_401, -2)] as [(Int64, Int64)])
    func aDayIsThatOfUTC(_ seconds: Int64, _ number: Int64) {
        #expect(AccountDay(WallTime(seconds: seconds)).number == number)
    }

    /// Goal: the sum of an account equals the sent pushes, whatever their outcomes.
    @Test func allThatHasNoAnswerIsLeft() {
        var account = SenderAccount()
        account.add(10, to: .sent)
        account.add(3, to: .accepted)
        account.add(2, to: .rejected(.unregistered))
        account.add(1, to: .rejected(.badDeviceToken))
        #expect(account.unanswered == 4)
        #expect(account.rejected.map(\.reason) == [.badDeviceToken, .unregistered])
        account.add(4, to: .unsent)
        #expect(account.sent == 6 && account.unanswered == 0)
    }
}
