internal import Foundation
internal import Testing
internal import WhereaboutsLocationWire

@testable internal import WhereaboutsLocationDaemon

@Suite struct PacketSocketPeerTests {
    @Test func theKernelSaysWhoSent() throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "wire-\(ProcessInfo.processInfo.processIdentifier)"
        )
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "s").path(percentEncoded: false)
        let listener = try PacketSocket.listen(at: path, mode: 0o600)
        let client = try PacketSocket.connect(to: path)
        let accepted = try #require(listener.accept())
        accepted.passCredentials()
        #expect(try client.send([9]) == .sent)
        guard case .packet([9], let sender) = try accepted.receiveFromPeer() else {
            return #expect(Bool(false), "no packet")
        }
        #expect(sender == ProcessInfo.processInfo.processIdentifier)
        #expect(accepted.peer?.pid == sender)
    }

    @Test func aPathThatIsTooLongCannotBeListenedAt() {
        #expect(throws: DaemonError.self) {
            try PacketSocket.listen(at: "/nowhere/\(String(repeating: "x", count: 200))", mode: 0o600)
        }
    }
}
