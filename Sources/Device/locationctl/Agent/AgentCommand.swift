internal import ArgumentParser
internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages

/// `locationctl agent`.
struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Answer apps' prompts on this terminal, and see which apps use the location in the background.",
        discussion: """
            Runs until the end of its input, q, or Ctrl-C; the next agent shows the prompts that are still open.
            Several agents may run; the first answer counts. When locationd ends, agents wait for its next start. \
            If locationd refuses this agent, it prints the reason and ends. The app's words are shown in the language of --language, LC_ALL,
            LC_MESSAGES or LANG where the app has them.

            --json is for scripts: an event a line on standard output, an answer a line on standard input, in the form
            that docs/protocol/agent.md describes, such as {"answer":{"prompt":1,"choice":"ALLOW_ONCE"}}.
            """
    )

    @Option(help: "Language for apps' texts, such as de_AT; repeat it, the best first.")
    var language: [String] = []
    @Flag(help: "Read and write JSON, one object per line.") var json = false
    @OptionGroup var daemon: DaemonOptions

    func run() throws {
        let languages = self.language.isEmpty ? Self.languagesOfEnvironment : self.language
        let link = try AgentLink(
            path: SocketPaths.agent(in: self.daemon.runtime ?? SocketPaths.directory),
            hello: .with {
                $0.hello = .with {
                    $0.version = 1
                    $0.languages = languages
                }
            }
        )
        if self.json { try Self.converse(link) } else { try Self.serve(link) }
    }

    static var languagesOfEnvironment: [String] {
        let environment = ProcessInfo.processInfo.environment
        // LANGUAGE is GNU gettext's list. The first of the other variables that is set, in POSIX's order, is the last choice.
        let list = environment["LANGUAGE"].map { $0.split(separator: ":").map(String.init) } ?? []
        let one = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }.first { !$0.isEmpty }
        return list + (one.map { [$0] } ?? [])
    }

    /// Reads and writes JSON lines, for scripts.
    private static func converse(_ link: AgentLink) throws {
        try link.run { news in
            switch news {
            case .event(let event), .refused(let event): StandardOutput.show(try event.jsonString() + "\n")
            case .disconnected: StandardOutput.show(#"{"event":"disconnected"}"# + "\n")
            case .connected: StandardOutput.show(#"{"event":"connected"}"# + "\n")
            }
        } line: { line in
            if let reason = Self.refusal(of: line, link) {
                let event = AgentEvent.with { $0.refusal.message = reason }
                StandardOutput.show(try event.jsonString() + "\n")
            }
            return true
        }
    }

    /// Sends an input line to locationd; returns the reason if that failed, otherwise nil.
    private static func refusal(of line: InputLines.Line, _ link: AgentLink) -> String? {
        switch line {
        case .tooLong: return "a line of the input was longer than \(InputLines.bytesMax) bytes and was ignored"
        case .text(let text):
            let rule = "is not a request of the agent protocol (docs/protocol/agent.md)"
            do {
                let request = try AgentRequest(jsonString: text)
                guard request.body != nil else {
                    let known = "answer, setPhase, dismissActivity, displayLit or hello"
                    let example = #"{"displayLit":{}}"#
                    return "'\(text.prefix(200))' \(rule): it is empty; give one of \(known), such as \(example)"
                }
                return link.send(request) ? nil : self.away
            } catch {
                return "'\(text.prefix(200))' \(rule): \(Self.words(for: error))"
            }
        }
    }

    /// The error in a line, as text for people.
    static func words(for error: any Error) -> String {
        switch error as? JSONDecodingError {
        case .unknownField(let name): "nothing there has a field '\(name)'"
        case .unrecognizedEnumValue: "the choice or phase is not on that page"
        case .conflictingOneOf: "it contains two requests; write one per line"
        case .malformedNumber, .numberRange, .leadingZero: "it contains a number that is not allowed there"
        default: "it is not an object of JSON with the fields of that page"
        }
    }

    private static let away = "locationd is not running; send this again when it is back"

    private static func serve(_ link: AgentLink) throws {
        var screen = AgentScreen()
        StandardOutput.show(screen.greeting + "\n")
        try link.run { news in
            switch news {
            case .event(let event): StandardOutput.show(screen.shown(event))
            // The error was already printed.
            case .refused: break
            case .disconnected:
                // Start with a new screen: prompts of the previous locationd are no longer valid.
                screen = AgentScreen()
                StandardOutput.show("\nlocationd has ended; what apps ask for is shown again when it is back\n")
            case .connected: StandardOutput.show("locationd is back\n")
            }
        } line: { line in
            guard case .text(let text) = line else {
                StandardOutput.show("that line is too long; ? lists the commands\n")
                return true
            }
            switch screen.entered(text) {
            case .quit: return false
            case .say(let text): StandardOutput.show(text + "\n")
            case .send(let request): if !link.send(request) { StandardOutput.show(Self.away + "\n") }
            }
            return true
        }
    }
}
