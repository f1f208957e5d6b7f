internal import Testing

@testable internal import SystemSimulator

/// Tests the auditor that checks whether others occupy the streams and connections of honest clients.
@Suite struct HoardAuditorTests {
    private let world = Simulation(.fleet(devices: 1, minutes: 1), keepsLines: false, takesCensus: false)
    private var hoards: HoardAuditor { self.world.auditors.hoards }

    private func admit(_ count: UInt64, _ reader: Int = 0) {
        for number in 0..<count { self.hoards.admitted(number + UInt64(reader) * 100, .requester(reader)) }
    }

    @Test func aReaderOfManyStreamsMayBeRefused() {
        self.admit(16)
        self.hoards.refused(.requester(0))
        // A stranger's stream, which the auditor does not know.
        self.hoards.displaced(1000)
        #expect(self.world.violation == nil)
    }

    @Test(arguments: [false, true]) func aReaderOfFewStreamsThatIsRefusedIsFound(_ hadMore: Bool) {
        self.admit(hadMore ? 16 : 15)
        self.admit(16, 1)
        if hadMore { self.hoards.left(0) }
        self.hoards.refused(.requester(0))
        #expect(self.world.violation?.what.contains("was refused a stream") == true)
    }

    @Test func aStreamThatMakesRoomIsFound() {
        self.admit(1)
        self.hoards.displaced(0)
        #expect(self.world.violation?.what.contains("lost its stream") == true)
    }

    @Test func aServerWithoutAConnectionIsFound() {
        self.hoards.refusedServer()
        #expect(self.world.violation?.what.contains("refused the sharing server's connection") == true)
    }
}
