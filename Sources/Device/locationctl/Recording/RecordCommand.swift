internal import ArgumentParser
internal import Foundation
internal import SwiftProtobuf
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWire
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// `locationctl record`.
struct RecordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Record a receiver to a file, until Ctrl-C.",
        discussion: """
            The receiver stays on. The GPX file contains the positions of the source, except all within 250 to 500 m of the start or
            the end. Positions near the end are removed when the recording ends; if the process is killed, they stay in the file.
            --raw writes the source's bytes (NMEA 0183 or gpsd's JSON) and leaves nothing out. `locationd --replay` plays both.
            Only you can read the file (mode 0600), and an existing file is never replaced. The file is complete at any time. It
            shows where this device was; keep it private.
            """
    )

    @Argument(help: "File to create.") var file: String
    @Flag(help: "Write the bytes that the receiver sends, instead of GPX.") var raw = false
    @Flag(help: "Include the positions near the start and the end, which GPX files omit by default.") var whole = false
    @Option(help: "Number of the source to record, 1 for the first choice; with --raw.") var source: UInt32?
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("Time after which the recording ends, for example 90m.", valueName: "duration"),
        transform: Self.duration
    )
    var duration: Duration?
    @OptionGroup var daemon: DaemonOptions

    func validate() throws {
        if self.file.isEmpty { throw ValidationError("the file is missing: name one, such as walk.gpx") }
        if self.file == "-" {
            throw ValidationError("a recording needs a file, not a stream: name one, such as walk.gpx")
        }
        if self.source != nil, !self.raw {
            throw ValidationError("--source works only with --raw; GPX records the source in use")
        }
        if self.source == 0 { throw ValidationError("--source counts from 1") }
    }

    /// Parses the time after which a recording ends, at most 100 days.
    ///
    /// Source: our choice; a position a second for 100 days is about 1 GB of GPX.
    private static func duration(_ text: String) throws -> Duration {
        guard let duration = Duration(text: text),
            (Duration.seconds(0.1)...Duration.seconds(100 * 86_400)).contains(duration)
        else {
            throw ValidationError("Invalid duration '\(text)'. Use a number with s, m, h or d, from 0.1s to 100d.")
        }
        return duration
    }

    func run() throws {
        let end = EndSignals()
        let header = GPXWriter.header(creator: "whereabouts \(Release.version)")
        var file = try RecordingFile(
            path: self.file,
            header: self.raw ? "" : header,
            footer: self.raw ? "" : GPXWriter.footer
        )
        let (socket, source): (PacketSocket, String)
        do {
            let request = DaemonOptions.Request.with { $0.record.raw = self.raw ? self.source ?? 1 : 0 }
            let (connected, begun) = try self.daemon.connect(request)
            (socket, source) = (connected, PlainText.of(begun.recordingBegun.source))
        } catch {
            file.remove()
            throw error
        }
        var progress = RecordingProgress(source: source, unit: self.raw ? "lines" : "positions")
        var (lines, writer) = (WholeLines(), GPXWriter())
        var random = SystemRandomNumberGenerator()
        var ends = self.whole || self.raw ? nil : TrackEnds(using: &random)
        var failure: (any Error)?
        let seconds = self.duration.map { $0 / .seconds(1) }
        do {
            while !end.hasCome, seconds.map({ progress.seconds < $0 }) ?? true {
                let left = seconds.map { $0 - progress.seconds } ?? 1
                let reply = try self.daemon.next(on: socket, within: Int32(min(max(left, 0.01), 0.25) * 1000))
                var count = 0
                if case .recorded(let recorded)? = reply?.body {
                    switch recorded.body {
                    case .fix(let fix):
                        let fixes = ends?.received(SourceFix(fix)) ?? [SourceFix(fix)]
                        let points = fixes.map { writer.point($0) }.filter { !$0.isEmpty }
                        try file.append(Array(points.joined().utf8))
                        count = points.count
                    case .raw(let bytes):
                        let before = lines.count
                        try file.append(lines.feed(bytes))
                        count = lines.count - before
                    case nil: break
                    }
                }
                progress.recorded(count, bytes: file.count)
            }
        } catch {
            failure = error
        }
        var passes = 0
        do { passes = try file.removePasses(of: ends) } catch let error { failure = failure ?? error }
        progress.removed(passes)
        progress.end()
        let leftOut = (ends?.leftOutCount ?? 0) + passes
        if progress.count == 0 {
            file.remove()
            throw failure
                ?? Refused(
                    leftOut > 0
                        ? "all \(leftOut) positions are near the start or the end, so no file was written; --whole keeps them"
                        : "\(source) sent nothing, so no file was written; `locationctl doctor` tries it and says why"
                )
        }
        let ending = leftOut > 0 ? "; without \(leftOut) near the start or the end, which --whole keeps" : ""
        if file.isThere { print("\(self.file): \(progress.words)\(ending)") }
        if let failure { throw failure }
    }
}

extension RecordingFile {
    /// Removes the points near the end of a recording; returns their number.
    fileprivate mutating func removePasses(of ends: TrackEnds?) throws -> Int {
        guard let ends else { return 0 }
        var remover = PassRemover(ends)
        try self.replaceLines { remover.lines(for: $0) }
        return remover.count
    }
}

extension SourceFix {
    /// Converts a fix from locationd.
    fileprivate init(_ fix: WireFix) {
        self.init(
            latitude: Double(fix.latitude) / 1e7,
            longitude: Double(fix.longitude) / 1e7,
            horizontalAccuracy: Double(fix.horizontalAccuracy) / 1000,
            time: Double(fix.time) / 1e6
        )
        if fix.hasAltitude { self.altitude = Double(fix.altitude) / 1000 }
        if fix.hasCourse { self.course = Double(fix.course) / 100 }
        if fix.hasSpeed { self.speed = Double(fix.speed) / 1000 }
    }
}
