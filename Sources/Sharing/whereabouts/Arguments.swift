internal import ArgumentParser
internal import Foundation
internal import WhereaboutsPushGateway
internal import WhereaboutsSharing

/// The option of every command that uses a person's profile.
struct ProfileOption: ParsableArguments {
    // Optional, since the help would show the path of the machine that made it as the default.
    @Option(
        name: .customLong("profile"),
        help: ArgumentHelp(
            "Directory of your identity and your grants [$WHEREABOUTS_PROFILE, or ~/.local/share/whereabouts].",
            valueName: "directory"
        )
    )
    private var given: String?

    var profile: String { self.given ?? Self.usual }

    /// The default profile.
    private static var usual: String {
        let environment = ProcessInfo.processInfo.environment
        func path(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        return path("WHEREABOUTS_PROFILE")
            ?? "\(path("XDG_DATA_HOME") ?? "\(path("HOME") ?? ".")/.local/share")/whereabouts"
    }

    func open() throws -> SharingProfile {
        try SharingProfile(path: self.profile)
    }
}

/// Reads `full` or `reduced`.
@Sendable func parsePrecision(_ text: String) throws -> Precision {
    switch text {
    case "full": .full
    case "reduced": .reduced
    default: throw ValidationError("Invalid precision '\(text)'. Use full or reduced.")
    }
}

/// Reads the id of a team or of its key, as Apple's developer pages show them.
@Sendable func parseTeamOrKeyID(_ text: String) throws -> String {
    guard ProviderKey.isID(text) else {
        throw ValidationError("'\(text)' is not an ID. Give 10 letters and digits, for example ABCDE12345.")
    }
    return text
}

/// Parses a duration of whole seconds, such as `90s`, `30m`, `12h` or `7d`.
@Sendable func parseDuration(_ text: String) throws -> Duration {
    guard let duration = Duration(text: text), duration == .seconds(duration.components.seconds) else {
        throw ValidationError("Invalid duration '\(text)'. Use a number with s, m, h or d, for example 7d.")
    }
    return duration
}

/// The durations that a grant can allow for a live share.
let followDurations: ClosedRange<Duration> = .seconds(60) ... .seconds(60 * Int(Grant.followMinutesLimit))

/// The range of these durations, in words.
let followDurationsInWords = "1m to \(Grant.followMinutesLimit / 60)h"

/// Reads the grant in a file.
func readGrant(_ path: String) throws -> Signed<Grant> {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
        throw SharingError(
            .badProfile,
            "\(path) cannot be read: it must contain the line that `whereabouts approve` wrote; check the path"
        )
    }
    guard let grant = try HandedText(text: text).grant else {
        throw SharingError(
            .badText,
            "\(path) does not contain a grant. Name the file that `whereabouts accept` or `approve` wrote."
        )
    }
    return grant
}

/// Prints a value as one object of JSON, keys in order.
func printJSON(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    try printLine(String(decoding: encoder.encode(value), as: UTF8.self))
}

/// Prints a line on standard error for a waiting person; if nobody can read it, the work continues.
@Sendable func printTrouble(_ line: String) {
    try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
}

/// Prints a line at once, without the buffer of `print`: a waiting program may read the pipe.
///
/// If the reader is gone, for example `head`, the command ends silently with a shell's status for SIGPIPE. The signal itself does not
/// end the process, because libraries that open sockets ignore it for the whole process.
///
/// - Throws: the exit status for output that cannot be written, whether or not the command's work is done.
func printLine(_ line: String) throws {
    do {
        try FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
    } catch {
        let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        if let cause, cause.domain == NSPOSIXErrorDomain, cause.code == Int(EPIPE) { throw ExitCode(128 + SIGPIPE) }
        let message = "Error: standard output cannot be written; free space there, or send it elsewhere\n"
        try? FileHandle.standardError.write(contentsOf: Data(message.utf8))
        throw ExitCode(74)
    }
}
