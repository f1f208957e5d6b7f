internal import Foundation
internal import Glibc
internal import WhereaboutsLocationSources

/// The directory of a demo, with a walk, an app, and a separate locationd.
///
/// A shell starts locationd and waits on one end of a pipe. The other end closes when this process ends, even if it is killed.
/// Then the shell ends locationd and removes the directory, so a killed demo leaves nothing behind.
struct DemoStage {
    /// The app's name in prompts.
    static let name = "Walk"
    static let identifier = "org.whereabouts.Walk"

    /// The maximum number of milliseconds that locationd may take to start.
    ///
    /// Source: our choice; it takes 100 ms on a small board, and much longer only if it fails.
    private static let patience = 10_000

    // $0: the directory, $1: locationd, $2: the app's bundle identifier. `tail` shows what the app prints.
    private static let script = """
        "$1" --state "$0/state" --runtime "$0/run" --replay "$0/walk.nmea" >"$0/locationd.log" 2>&1 </dev/null &
        daemon=$!
        tail -n +1 -s 0.1 -F "$0/state/output/$2.log" 2>/dev/null </dev/null &
        shown=$!
        cat >/dev/null
        kill -9 $shown
        kill $daemon 2>/dev/null
        timeout 10 tail --pid=$daemon -f /dev/null || kill -9 $daemon
        rm -rf "$0"
        """

    private let directory: String
    private let shell = Process()
    private let pipe = Pipe()

    /// The directory of locationd's sockets.
    var runtime: String { "\(self.directory)/run" }
    /// The app.
    var bundle: String { "\(self.directory)/\(Self.name).app" }

    /// Makes the directory, and starts locationd.
    ///
    /// - Throws: ``Refused``.
    init() throws {
        let own = URL(filePath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let locationd = own.deletingLastPathComponent().appending(path: "locationd").path(percentEncoded: false)
        guard FileManager.default.isExecutableFile(atPath: locationd) else {
            throw Refused("\(locationd) is missing: install the package locationd, and run its locationctl")
        }
        let parent = FileManager.default.temporaryDirectory.path(percentEncoded: false)
        let pattern = URL(filePath: parent).appending(path: "locationctl-demo-XXXXXX").path(percentEncoded: false)
        var template = Array(pattern.utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            let reason = unsafe String(cString: strerror(errno))
            throw Refused("no directory can be made in \(parent): \(reason); set TMPDIR")
        }
        self.directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do {
            try self.write(program: own.path(percentEncoded: false))
            self.shell.executableURL = URL(filePath: "/bin/sh")
            self.shell.arguments = ["-c", Self.script, self.directory, locationd, Self.identifier]
            self.shell.standardInput = self.pipe
            try self.shell.run()
        } catch {
            try? FileManager.default.removeItem(atPath: self.directory)
            throw Refused("the demo cannot be set up in \(parent): \(error); free space there, or set TMPDIR")
        }
    }

    /// Writes the walk, and the app: a shell script that runs this program.
    private func write(program: String) throws {
        let track = NMEATrack(waypoints: NMEATrack.harbourWalk, start: Date.now.timeIntervalSince1970.rounded(.down))
        try Data(try track.log().utf8).write(to: URL(filePath: "\(self.directory)/walk.nmea"))
        try FileManager.default.createDirectory(atPath: self.bundle, withIntermediateDirectories: false)
        let information = [
            "CFBundleExecutable": Self.name, "CFBundleIdentifier": Self.identifier, "CFBundleName": Self.name,
            "NSLocationWhenInUseUsageDescription": "To print where the walk is.",
        ]
        let list = try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
        try list.write(to: URL(filePath: "\(self.bundle)/Info.plist"))
        let quoted = program.replacing("'", with: #"'\''"#)
        let executable = "\(self.bundle)/\(Self.name)"
        try Data("#!/bin/sh\nexec '\(quoted)' demo --as-app\n".utf8).write(to: URL(filePath: executable))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: executable)
    }

    /// Waits until locationd answers.
    ///
    /// - Throws: ``Refused`` with the last line of locationd's log, if it does not answer in time.
    func wait(until answers: () -> Bool) throws {
        for _ in 0..<(Self.patience / 50) {
            if answers() { return }
            _ = poll(nil, 0, 50)
        }
        let log = (try? String(contentsOfFile: "\(self.directory)/locationd.log", encoding: .utf8)) ?? ""
        throw Refused("locationd did not start within 10 s: \(log.split(separator: "\n").last ?? "it wrote nothing")")
    }

    /// Ends locationd with its app, and removes the directory.
    func remove() {
        try? self.pipe.fileHandleForWriting.close()
        self.shell.waitUntilExit()
    }
}
