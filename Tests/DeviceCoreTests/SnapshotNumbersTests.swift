internal import Testing
internal import WhereaboutsDeviceCore

@Suite struct SnapshotNumbersTests {
    @Test(
        arguments: [
            (nil, 0, .begin), (nil, 3, .refuseMissing), (1, 0, .writeFirstNumber), (2, 0, .refuseOlder),
            (3, 3, .restore), (4, 3, .restore), (2, 3, .refuseOlder), (0, 0, .refuseOlder), (0, 1, .refuseOlder),
        ] as [(UInt64?, UInt64, SnapshotNumbers.OnFound)]
    )
    func whatAStartFinds(snapshot: UInt64?, last: UInt64, action: SnapshotNumbers.OnFound) {
        var numbers = SnapshotNumbers()
        let found = numbers.found(snapshot: snapshot, last: last)
        #expect(found == action)
        let isTaken = action == .restore || action == .writeFirstNumber
        #expect(numbers.current == (isTaken ? snapshot : 0))
    }

    @Test func theFirstNumberIsWaitedFor() {
        var numbers = SnapshotNumbers()
        #expect(numbers.next == 1)
        let first = numbers.kept(numbers.next)
        #expect(first == .writeFirstNumber)
        let second = numbers.kept(numbers.next)
        #expect(second == .writeNumber)
        #expect(numbers.next == 3)
    }
}
