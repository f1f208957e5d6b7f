internal import SwiftProtobuf
public import Testing
public import WhereaboutsLocationEngine
package import WhereaboutsLocationWireMessages

/// A shell with one app and its extension, as the transcripts use it.
public protocol TranscriptShell {
    /// Does a step, and lets as much time pass as its effects need.
    mutating func perform(_ step: Transcript.Step) throws

    /// The words observed since it was asked last.
    ///
    /// - Parameter expected: how many are to come; a shell in real time waits for them, within a limit.
    /// - Returns: the words, in any order.
    /// - Throws: when the shell cannot be observed any more.
    mutating func words(expected: Int) throws -> [String]
}

extension TranscriptShell {
    /// Runs a transcript, and records the differences.
    public mutating func run(_ transcript: Transcript, sourceLocation: SourceLocation = #_sourceLocation) throws {
        for line in transcript.lines {
            try self.perform(line.step)
            let words = try self.words(expected: line.words.count).sorted()
            #expect(words == line.words, "\(transcript): \(line.text)", sourceLocation: sourceLocation)
        }
    }
}

/// The values that every shell of the transcripts uses.
public enum Transcripts {
    /// The app.
    public static let app = BundleID("com.example.Test")

    /// The declaration of an app that reads positions under a session.
    public static let reading = Declaration(
        sessions: [.init(id: 1, requirement: .always)],
        streams: [.init(id: 2, service: .live(.default))]
    )

    /// One session more than the maximum.
    public static var tooMuch: Declaration {
        Declaration(sessions: (0...UInt64(Transcript.policy.declarationsMax)).map { .init(id: $0, requirement: .none) })
    }

    /// The declaration as a wire client sends it; streams are live updates without a configuration.
    package static func wire(_ declaration: Declaration) -> WireDeclaration {
        .with {
            $0.sessions = declaration.sessions.map { session in
                .with {
                    $0.id = session.id
                    $0.requirement = session.requirement == .always ? .always : .none
                }
            }
            $0.streams = declaration.streams.map { stream in
                .with {
                    $0.id = stream.id
                    $0.live = .init()
                }
            }
        }
    }

    /// A push's payload, which tells the extension the number.
    public static func payload(_ number: UInt64) -> [UInt8] { Array("{\"number\": \(number)}".utf8) }

    /// The number in a payload.
    public static func number(in payload: [UInt8]) -> UInt64 {
        payload.reduce(0) { $1 >= 48 && $1 <= 57 ? $0 * 10 + UInt64($1 - 48) : $0 }
    }
}
