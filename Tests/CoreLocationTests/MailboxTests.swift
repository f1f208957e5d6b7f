internal import Testing

@testable internal import CoreLocation

@Suite struct MailboxTests {
    @Test(arguments: [15, 16, 17]) func newsIsKeptInOrderUpToTheLimit(_ count: Int) async {
        let mailbox = Mailbox<Int>()
        for number in 0..<count { mailbox.put(number, isReplaceable: false) }
        mailbox.finish()
        var taken: [Int] = []
        while let number = await mailbox.next() { taken.append(number) }
        #expect(taken == Array(max(0, count - 16)..<count))
    }

    @Test func eightWhoWaitAreServedOneEach() async {
        let mailbox = Mailbox<Int>()
        let taken = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<8 { group.addTask { await mailbox.next() } }
            for number in 0..<8 { mailbox.put(number, isReplaceable: false) }
            return await group.reduce(into: Set<Int?>()) { $0.insert($1) }
        }
        #expect(taken == Set(0..<8))
    }

    @Test func eightWhoWaitAllEndWithTheSequence() async {
        let mailbox = Mailbox<Int>()
        await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<8 { group.addTask { await mailbox.next() } }
            await Task.yield()
            mailbox.finish()
            for await number in group { #expect(number == nil) }
        }
    }

    @Test func whoIsCancelledLeavesTheOthersWaiting() async {
        let mailbox = Mailbox<Int>()
        let first = Task { await mailbox.next() }
        let second = Task { await mailbox.next() }
        first.cancel()
        #expect(await first.value == nil)
        mailbox.put(7, isReplaceable: true)
        #expect(await second.value == 7)
    }
}
