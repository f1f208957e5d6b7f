internal import Foundation
internal import NIOPosix
internal import Rig
internal import WhereaboutsLocationHost

@testable internal import WhereaboutsLocationDaemon

/// A program of `Examples/Receivers`, unchanged, with the socket that it connects to and a temporary folder.
struct ExampleReceiver {
    static let python = "/usr/bin/python3"
    static let hasPython = FileManager.default.isExecutableFile(atPath: Self.python)

    private let program: String
    private let scratch: Scratch

    init(_ name: String) throws {
        self.program =
            URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Examples/Receivers/\(name)").path
        self.scratch = try Scratch()
    }

    /// A path in the folder.
    func path(_ name: String) -> String { "\(self.scratch.path)/\(name)" }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: self.path(name)))
    }

    /// Starts the program.
    func start(_ arguments: [String]) throws -> Child {
        try self.child("program", Self.python, [self.program, self.path("receiver.sock")] + arguments)
    }

    /// The program's output to standard error.
    var complaints: String { self.log("program") }

    /// Starts another program, with the name of its log.
    func child(_ name: String, _ program: String, _ arguments: [String]) throws -> Child {
        try Child(name, program, arguments, log: self.path(name + ".log"))
    }

    func log(_ name: String) -> String {
        (try? String(contentsOfFile: self.path(name + ".log"), encoding: .utf8)) ?? ""
    }

    /// Starts a source at the socket to which the program connects.
    func startSource(_ report: @escaping @Sendable (FixSourceEvent) -> Void) -> ReceiverSource {
        let group = MultiThreadedEventLoopGroup.singleton
        let source = ReceiverSource(.program(path: self.path("receiver.sock")), group: group, events: report)
        source.start()
        return source
    }
}
