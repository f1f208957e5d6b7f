internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Testing
internal import WhereaboutsPushGateway

@Suite struct SocketFileTests {
    /// Goal: for each path, the check reports what is there, without waiting and without disturbing a listener.
    @Test func aPathIsWhatIsThere() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "s-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let path = directory + "/socket"
        #expect(SocketFile(path) == .missing && SocketFile(directory) == .noSocket)
        #expect(SocketFile("") == .badPath && SocketFile("/" + String(repeating: "s", count: 107)) == .badPath)
        #expect(SocketFile("/" + String(repeating: "s", count: 106)) == .missing)
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        let listener = try await bootstrap.bind(unixDomainSocketPath: path).get()
        for _ in 0..<3 { #expect(SocketFile(path) == .inUse) }
        try await listener.close()
        // A closed listener removes its file; `aSocketThatNobodyListensOnIsSaid` tests that of a killed process.
        #expect(SocketFile(path) == .missing)
        try Data("text".utf8).write(to: URL(fileURLWithPath: path))
        #expect(SocketFile(path) == .noSocket)
        try FileManager.default.removeItem(atPath: directory)
    }
}
