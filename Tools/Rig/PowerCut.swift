internal import Foundation

/// A directory that loses what was not synchronised when the power is cut.
///
/// Processes that get ``environment`` load `Tests/PowerCut`, which copies a file each time it is synchronised. ``cut()`` builds the
/// directory again from these copies. That is the strictest disk that POSIX allows: it keeps nothing by chance.
public final class PowerCut: Sendable {
    private let directory: String
    private let disk: String
    private let library: String

    /// Begins with everything in the directory as synchronised.
    ///
    /// - Parameters:
    ///   - directory: the directory; the copies are next to it.
    ///   - binaries: the build that contains the library.
    /// - Throws: ``RigError``.
    public init(in directory: String, _ binaries: Binaries) throws {
        let path = URL(filePath: directory).resolvingSymlinksInPath().path(percentEncoded: false)
        self.directory = path.hasSuffix("/") ? String(path.dropLast()) : path
        self.disk = self.directory + ".disk"
        self.library = binaries.path("libpower-cut.so")
        guard FileManager.default.fileExists(atPath: self.library) else {
            throw RigError("the power cut", "\(self.library) is missing; build the product power-cut first")
        }
        try self.keepEverything()
    }

    /// The environment of each process that writes in the directory.
    public var environment: [String: String] {
        ["LD_PRELOAD": self.library, "POWER_CUT_ROOT": self.directory, "POWER_CUT_DISK": self.disk]
    }

    /// Puts the directory into the state that the disk has; its processes must have been killed.
    ///
    /// - Parameter kept: names in the directory that stay as they are, such as logs.
    /// - Throws: ``RigError``.
    public func cut(keeping kept: Set<String> = []) throws {
        let files = FileManager.default
        for name in try files.contentsOfDirectory(atPath: self.directory) where !kept.contains(name) {
            try files.removeItem(atPath: "\(self.directory)/\(name)")
        }
        try self.build(self.directory, from: "root", leavingOut: kept)
        try self.keepEverything()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.disk)
    }

    private func build(_ path: String, from key: String, leavingOut kept: Set<String> = []) throws {
        let files = FileManager.default
        let list = try? String(contentsOfFile: "\(self.disk)/\(key).list", encoding: .utf8)
        for line in (list ?? "").split(separator: "\n") {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 5, let mode = Int(fields[1], radix: 8) else {
                throw RigError("the power cut", "a list has the line '\(line)'")
            }
            let (entry, target) = ("\(path)/\(fields[3])", fields[4])
            if kept.contains(fields[3]) { continue }
            switch fields[0] {
            case "d":
                try files.createDirectory(atPath: entry, withIntermediateDirectories: false)
                try self.build(entry, from: fields[2])
            case "f":
                let copy = "\(self.disk)/\(fields[2])"
                // The name reached the disk, and none of the content did.
                let bytes = files.contents(atPath: copy) ?? Data()
                guard files.createFile(atPath: entry, contents: bytes) else {
                    throw RigError("the power cut", "cannot write \(entry)")
                }
            case "l": try files.createSymbolicLink(atPath: entry, withDestinationPath: target)
            default: continue
            }
            if fields[0] != "l" { try files.setAttributes([.posixPermissions: mode], ofItemAtPath: entry) }
        }
    }

    /// Synchronises everything in the directory with the library loaded, so that all of it is copied.
    private func keepEverything() throws {
        let files = FileManager.default
        try? files.removeItem(atPath: self.disk)
        try files.createDirectory(atPath: self.disk, withIntermediateDirectories: false)
        let below = try files.subpathsOfDirectory(atPath: self.directory).map { "\(self.directory)/\($0)" }
        let types: [FileAttributeType] = [.typeRegular, .typeDirectory]
        let paths =
            try [self.directory]
            + below.filter { path in
                let type = try files.attributesOfItem(atPath: path)[.type] as? FileAttributeType
                return type.map(types.contains) ?? false
            }
        let sync = try Child("sync", "/bin/sync", paths, environment: self.environment, log: "\(self.disk)/sync.log")
        let ended = try sync.waitForEnd(within: 60)
        guard ended.status == 0 else { throw RigError("the power cut", "sync ended with status \(ended.status)") }
    }
}
