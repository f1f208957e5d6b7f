internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationSources

@Suite struct ReceiverLinkTests {
    static func at(_ seconds: Double) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    private static func opened(answers: Bool = false, silence: Duration? = .seconds(10)) -> ReceiverLink {
        var link = ReceiverLink(.init(answers: answers, silence: silence))
        #expect(link.started() == .open)
        link.opened(now: self.at(0))
        return link
    }

    @Test func aWayIsOpenedOnce() {
        var link = ReceiverLink(.init(answers: false, silence: nil))
        #expect(link.started() == .open && link.started() == .ignore)
        link.stopped()
        #expect(link.started() == .open)
    }

    /// Goal: a silent connection is closed and opened again.
    @Test func aSilentPeerIsGivenUp() {
        var link = Self.opened()
        for second in 1...5 { #expect(link.bytesCame(now: Self.at(Double(second))) == .read) }
        #expect(link.deadline == Self.at(15))
        #expect(link.deadlineReached(now: Self.at(14.9)) == .ignore)
        #expect(link.deadlineReached(now: Self.at(15)) == .close)
        #expect(link.deadline == Self.at(15.25))
        #expect(link.deadlineReached(now: Self.at(15.25)) == .open)
    }

    @Test func aPeerThatAnswersIsAskedFirst() {
        var link = Self.opened(answers: true)
        #expect(link.deadlineReached(now: Self.at(10)) == .ask)
        #expect(link.bytesCame(now: Self.at(10.1)) == .read)
        #expect(link.deadlineReached(now: Self.at(20)) == .ignore)
        #expect(link.deadlineReached(now: Self.at(20.2)) == .ask)
        #expect(link.bytesCame(now: Self.at(20.3)) == .read)
        #expect(link.deadlineReached(now: Self.at(30.3)) == .ask, "a silence that was asked into is not the usual one")
        #expect(link.deadlineReached(now: Self.at(35.4)) == .close)
    }

    @Test func aSlowReceiverIsBorne() {
        var link = Self.opened()
        for step in 1...4 { #expect(link.bytesCame(now: Self.at(Double(step) * 8)) == .read) }
        #expect(link.deadline == Self.at(32 + 24))
    }

    @Test func silenceIsBorneWhereThereIsNoConnection() {
        var link = Self.opened(silence: nil)
        #expect(link.bytesCame(now: Self.at(1)) == .read)
        #expect(link.deadline == nil)
        #expect(link.bytesCame(now: Self.at(5000)) == .read)
    }

    /// Goal: data that waited in the kernel while the device slept is not read as current.
    @Test func bytesThatWaitedThroughASleepAreNotRead() {
        var link = Self.opened()
        #expect(link.bytesCame(now: Self.at(1)) == .read)
        #expect(link.bytesCame(now: Self.at(3600)) == .reopen)
        #expect(link.bytesCame(now: Self.at(3600)) == .drop, "the old connection's")
        link.opened(now: Self.at(3601))
        #expect(link.bytesCame(now: Self.at(3602)) == .read)
    }

    /// Goal: a server that accepts and closes is not contacted four times a second.
    @Test func theWaitGrowsUntilDataLasted() {
        var link = Self.opened()
        var waits: [Duration] = []
        var now = 0.0
        for _ in 0..<7 {
            #expect(link.bytesCame(now: Self.at(now)) == .read)
            link.closed(now: Self.at(now))
            let deadline = link.deadline ?? Self.at(0)
            waits.append(Self.at(now).duration(to: deadline))
            now = deadline.sinceStart / .seconds(1)
            #expect(link.deadlineReached(now: deadline) == .open)
            link.opened(now: deadline)
        }
        #expect(waits.map { $0 / .seconds(1) } == [0.25, 0.5, 1, 2, 4, 5, 5])
        for second in 0...10 { #expect(link.bytesCame(now: Self.at(now + Double(second))) == .read) }
        link.closed(now: Self.at(now + 10))
        #expect(link.deadline == Self.at(now + 10.25))
    }

    @Test func racesAreIgnored() {
        var link = ReceiverLink(.init(answers: true, silence: .seconds(10)))
        link.opened(now: Self.at(1))
        link.closed(now: Self.at(1))
        #expect(link.bytesCame(now: Self.at(1)) == .drop)
        #expect(link.deadlineReached(now: Self.at(99)) == .ignore)
        #expect(!link.isOn && link.deadline == nil)
    }
}
