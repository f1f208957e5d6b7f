internal import SharingEngine
internal import Testing
internal import Vocabulary

/// The device's own word on how often its owner's grants are used, whatever a server says.
struct GrantUsesTests {
    private func grant(_ number: Int = 1, interval: UInt32 = 3600) throws -> Grant {
        Grant(
            id: GrantID(high: 0, low: UInt64(number)),
            sharer: try identity(3),
            requester: try identity(4),
            precision: .full,
            notBefore: noon,
            notAfter: after(86_400),
            intervalMin: interval
        )
    }

    @Test func intervalIsTheDevicesToo() throws {
        var uses = GrantUses()
        let grant = try self.grant()
        #expect(uses.used(grant, policy: SharingPolicy(), now: noon) == .record)
        #expect(uses.used(grant, policy: SharingPolicy(), now: after(2)) == .tooSoon)
        #expect(uses.used(grant, policy: SharingPolicy(), now: after(3569)) == .tooSoon)
        // A request may have been under way for as long as the device had to answer the one before; the next one pays for it.
        #expect(uses.used(grant, policy: SharingPolicy(), now: after(3570)) == .record)
        #expect(uses.used(grant, policy: SharingPolicy(), now: after(7169)) == .tooSoon)
        #expect(uses.used(grant, policy: SharingPolicy(), now: after(7170)) == .record)
        #expect(uses.entries.map(\.paidUntil) == [after(10_800)])
    }

    @Test func grantWithoutAnIntervalIsNotKept() throws {
        var uses = GrantUses()
        for _ in 0..<100 {
            #expect(uses.used(try self.grant(interval: 0), policy: SharingPolicy(), now: noon) == .answer)
        }
        #expect(uses.entries.isEmpty)
    }

    @Test func theirNumberIsBounded() throws {
        var uses = GrantUses()
        for number in 0..<GrantUses.countMax {
            #expect(uses.used(try self.grant(number), policy: SharingPolicy(), now: noon) == .record)
        }
        let more = try self.grant(GrantUses.countMax)
        #expect(uses.used(more, policy: SharingPolicy(), now: after(3599)) == .full)
        #expect(uses.used(more, policy: SharingPolicy(), now: after(3600)) == .record)
        #expect(uses.entries.count == 1)
        #expect(GrantUses(restoring: uses.entries) == uses)
    }

    /// Goal: a malicious server and a requester get no second answer within the interval, and learn that they were refused.
    @Test func requestThatComesTooSoonIsRefused() throws {
        let records = ModelRecords()
        func received(_ id: UInt8, at now: WallTime) throws -> Receipt {
            let request = try makeRequest(id, interval: 3600, issued: now, expires: now.advanced(by: .seconds(60)))
            let decided = try Receipt.requestReceived(
                request,
                by: identity(3),
                records,
                policy: SharingPolicy(),
                now: now
            )
            guard case .answer(let receipt) = decided else { throw FixtureError() }
            return receipt
        }
        #expect(try received(1, at: noon).refusal == nil)
        #expect(try received(2, at: after(2)).refusal == .tooSoon)
        // A refusal costs the grant nothing.
        #expect(try received(3, at: after(3580)).refusal == nil)
    }
}
