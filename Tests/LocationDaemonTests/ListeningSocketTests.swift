internal import Foundation
internal import Glibc
internal import NIOPosix
internal import Testing
internal import WhereaboutsLocationSources
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationDaemon

/// Tests for the rule that applies to all sockets of locationd.
@Suite(.timeLimit(.minutes(1))) struct ListeningSocketTests {
    private let scratch: Scratch
    private var path: String { self.scratch.path + "/s.sock" }

    init() throws { self.scratch = try Scratch() }

    /// A descriptor that closes when the value is released.
    private struct Descriptor: ~Copyable {
        let number: Int32
        init(_ number: Int32) { self.number = number }
        deinit { close(self.number) }
    }

    private func open(_ form: ListeningSocket.Form = .stream) throws -> Descriptor {
        Descriptor(try ListeningSocket.open(self.path, form, mode: 0o640, of: "--program"))
    }

    /// Goal: a socket with a listener stays and is not disturbed.
    ///
    /// A socket that a dead process left is replaced.
    @Test(arguments: [ListeningSocket.Form.stream, .packets], [ListeningSocket.Form.stream, .packets])
    func aSocketInUseStaysAndALeftOneDoesNot(_ held: ListeningSocket.Form, _ wanted: ListeningSocket.Form) throws {
        do {
            let holder = try self.open(held)
            let error = #expect(throws: DaemonError.self) { _ = try self.open(wanted) }
            let remedy = "is in use by another program; end it, or name another path"
            #expect(error?.description == "\(self.path) of --program \(remedy)")
            // The check did not use up a connection of the listening program.
            #expect(accept(holder.number, nil, nil) == -1 && errno == EAGAIN)
        }
        _ = try self.open(wanted)
        let mode = try FileManager.default.attributesOfItem(atPath: self.path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }

    @Test func aFileThatIsNoSocketStays() throws {
        try Data("mine".utf8).write(to: URL(filePath: self.path))
        let error = #expect(throws: DaemonError.self) { _ = try self.open() }
        #expect(error?.description == "\(self.path) of --program exists, and is not a socket; name another path")
        #expect(FileManager.default.contents(atPath: self.path) == Data("mine".utf8))
    }

    @Test(arguments: ["/nowhere/at/all.sock", "/tmp/" + String(repeating: "x", count: 200)])
    func aPathThatCannotBeIsNamed(_ path: String) {
        let error = #expect(throws: DaemonError.self) {
            try ListeningSocket.open(path, .stream, mode: 0o600, of: "--coarse")
        }
        #expect(error?.description.hasPrefix("cannot listen at \(path) of --coarse: ") == true)
    }

    /// Goal: a second locationd's error about the first one's sockets uses the words of `status`.
    @Test func sourcesAndScannersDoNotTakeASocketInUse() async throws {
        let holder = try self.open()
        let (words, continuation) = AsyncStream.makeStream(of: String.self)
        let group = MultiThreadedEventLoopGroup.singleton
        let source = ReceiverSource(.program(path: self.path, isCoarse: true), group: group) { _ in
        } health: { health in
            if case .unreachable(let reason) = health.condition(now: Clocks.now().monotonic).condition {
                continuation.yield(reason)
            }
        }
        let feed = BeaconFeed(path: self.path, group: group) { _ in
        } health: { health in
            if case .failed(let reason) = health.socket { continuation.yield(reason) }
        }
        source.start()
        feed.start()
        var heard: Set<String> = []
        for await word in words {
            heard.insert(word)
            if heard.count == 2 { break }
        }
        let remedy = "is in use by another program; end it, or name another path"
        #expect(heard == ["\(self.path) of --coarse \(remedy)", "\(self.path) of --beacon-feed \(remedy)"])
        source.stop()
        feed.stop()
        #expect(accept(holder.number, nil, nil) == -1)
    }
}
