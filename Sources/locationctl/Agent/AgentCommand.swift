internal import ArgumentParser
internal import Foundation
internal import LocationWire
internal import LocationWireMessages
internal import SwiftProtobuf

/// `locationctl agent`.
struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Show on this terminal what apps ask for, answer it, and see who uses the location unseen.",
        discussion: """
            Runs until the end of its input, q, or Ctrl-C; what is not answered then is shown to the next agent.
            Several may run; the first answer counts. The app's words are shown in the language of --language, LC_ALL,
            LC_MESSAGES or LANG where the app has them.

            --json is for scripts: an event a line on standard output, an answer a line on standard input, in the form
            that docs/protocol/agent.md describes, such as {"answer":{"prompt":1,"choice":"ALLOW_ONCE"}}.
            """
    )

    @Option(help: "A language to show the app's words in, such as de_AT; give more than one, the best first.")
    var language: [String] = []
    @Flag(help: "Read and write JSON, an object a line.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        signal(SIGPIPE, SIG_IGN)
        let languages = self.language.isEmpty ? Self.languagesOfEnvironment : self.language
        let link = try AgentLink(path: SocketPaths.agent(in: self.daemon.runtime ?? SocketPaths.directory))
        try link.send(
            .with {
                $0.hello = .with {
                    $0.version = 1
                    $0.languages = languages
                }
            }
        )
        if self.json { try Self.converse(link) } else { try Self.serve(link) }
    }

    /// At once, also into a pipe.
    private static func show(_ text: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
    }

    private static var languagesOfEnvironment: [String] {
        let environment = ProcessInfo.processInfo.environment
        // LANGUAGE is GNU gettext's list; the first of the others that is set counts, as POSIX has it.
        let list = environment["LANGUAGE"].map { $0.split(separator: ":").map(String.init) } ?? []
        let one = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
        return list + (one.map { [$0] } ?? [])
    }

    /// For scripts: lines of JSON in both directions.
    private static func converse(_ link: AgentLink) throws {
        try link.run { event in
            Self.show(try event.jsonString() + "\n")
        } line: { line in
            do {
                try link.send(try Whereabouts_Agent_V1_AgentRequest(jsonString: line))
            } catch let error as JSONDecodingError {
                throw Refused("'\(line)' is no request of the agent protocol (docs/protocol/agent.md): \(error)")
            }
            return true
        }
    }

    /// For people.
    private static func serve(_ link: AgentLink) throws {
        var screen = AgentScreen()
        Self.show(screen.greeting + "\n")
        try link.run { event in
            Self.show(screen.shown(event))
        } line: { line in
            switch screen.entered(line) {
            case .quit: return false
            case .say(let text): Self.show(text + "\n")
            case .send(let request): try link.send(request)
            }
            return true
        }
    }
}
