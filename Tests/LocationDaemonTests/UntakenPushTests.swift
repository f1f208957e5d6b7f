internal import Foundation
internal import Synchronization
internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Goal: a disk that rejects writes delays pushes, but none is lost or acknowledged too early.
@Suite(.timeLimit(.minutes(1))) struct UntakenPushTests {
    /// A connection to the gateway that only records the acknowledgements.
    private final class Link: PushLinkPort {
        let acknowledged = Mutex<[PushID]>([])

        func register(_ bundle: BundleID) {}
        func unregister(_ bundle: BundleID) {}
        func enable(_ bundles: [BundleID]) {}
        func acknowledge(_ push: PushID) { self.acknowledged.withLock { $0.append(push) } }
        func read(_ isOn: Bool) {}
        func stop() {}
    }

    @Test func aPushThatTheDiskDoesNotTakeIsTakenOnceItDoes() async throws {
        let device = try await ProbeDevice()
        let link = Link()
        let spool = device.scratch.path + "/state/pushes"
        try await OffPool.run {
            // Pushes cannot be saved, as on a full disk: a file is in the folder's place.
            try FileManager.default.removeItem(atPath: spool)
            try Data().write(to: URL(filePath: spool))
            let push = Push(
                id: PushID(high: 1, low: 2),
                bundle: ProbeDevice.app,
                payload: Array(#"{"number": 7}"#.utf8),
                expiration: nil,
                received: Clocks.now().monotonic
            )
            await device.daemon.receive(push, over: link)
            // The gateway sends the push again on a new connection.
            await device.daemon.receive(push, over: link)
            #expect(link.acknowledged.withLock { $0 } == [])
            #expect(try device.accounts.total.received == 0)
            try FileManager.default.removeItem(atPath: spool)
            try FileManager.default.createDirectory(atPath: spool, withIntermediateDirectories: false)
            try device.events.wait(for: "push-completed")
            #expect(link.acknowledged.withLock { $0 } == [push.id])
            #expect(try device.accounts.total.received == 1)
            #expect(device.probeLog.map { $0.prefix(2).joined(separator: " ") } == ["received 7"])
        } finally: {
            await device.daemon.stop()
        }
    }
}

extension Daemon {
    fileprivate func receive(_ push: Push, over link: any PushLinkPort) {
        self.gateway.link = link
        self.gateway.received(.push(push))
    }
}
