internal import Crypto
internal import Foundation
internal import Glibc
internal import WhereaboutsCLinux
internal import WhereaboutsCertificates

/// A directory of one run, with its own authority, keys and logs; only the logs may outlive the run.
public struct Workspace: Sendable {
    /// The directory; short, because a Unix socket's path may have 107 bytes.
    public let directory: String
    /// The certificate authority's file, PEM.
    public var authorityPath: String { "\(self.directory)/ca.pem" }
    /// The server certificate's file, PEM.
    public var certificatePath: String { "\(self.directory)/tls.pem" }
    /// The server certificate's key, PEM.
    public var privateKeyPath: String { "\(self.directory)/tls.key" }
    /// The key that signs provider tokens, as Apple issues them.
    public var providerKeyPath: String { "\(self.directory)/AuthKey_\(Self.keyID).p8" }
    /// The folder with the log of each process.
    public var logs: String { "\(self.directory)/logs" }

    /// The team of the key that signs provider tokens.
    public static let teamID = "WHERETEAM1"
    /// The id of that key.
    public static let keyID = "WHEREKEY01"

    /// Makes the directory, and the keys and certificates for TLS and provider tokens.
    public init() throws {
        let base = ProcessInfo.processInfo.environment["TMPDIR"].flatMap { $0.utf8.count < 40 ? $0 : nil } ?? "/tmp"
        var template = Array("\(base)/whereabouts-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw RigError("the directory", "cannot make one in \(base): \(unsafe String(cString: strerror(errno)))")
        }
        self.directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try FileManager.default.createDirectory(atPath: self.logs, withIntermediateDirectories: true)
        let loopback = try LoopbackCertificate()
        try self.write(loopback.authorityPEM, to: self.authorityPath)
        try self.write(loopback.certificatePEM, to: self.certificatePath)
        try self.write(loopback.keyPEM, to: self.privateKeyPath)
        try self.write(P256.Signing.PrivateKey().pemRepresentation, to: self.providerKeyPath)
    }

    private func write(_ text: String, to path: String) throws {
        guard
            FileManager.default.createFile(
                atPath: path,
                contents: Data(text.utf8),
                attributes: [.posixPermissions: 0o600]
            )
        else { throw RigError("the directory", "cannot write \(path)") }
    }

    /// The log of a process.
    func log(_ name: String) -> String { "\(self.logs)/\(name).log" }

    /// The logs of every program, and the output of the apps.
    public func everythingLogged() throws -> String {
        let folders = [self.logs, "\(self.directory)/state/output"]
        return try folders.flatMap { folder in
            try FileManager.default.contentsOfDirectory(atPath: folder).map { "\(folder)/\($0)" }
        }.map { try String(contentsOfFile: $0, encoding: .utf8) }.joined(separator: "\n")
    }

    /// The processes whose executable or working directory lies in this workspace; none should be left at the end.
    public func processes() -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { Int32($0) }.filter { pid in
            ["exe", "cwd"].contains { link in
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/\(link)"))?
                    .hasPrefix(self.directory + "/") ?? false
            }
        }
    }

    /// Kills the remaining processes, and waits for their end.
    public func killProcesses() {
        for pid in self.processes() {
            kill(pid, SIGKILL)
            let descriptor = clinux_pidfd_open(pid)
            guard descriptor >= 0 else { continue }
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&waiting, 1, 2000)
            close(descriptor)
        }
    }

    /// Removes everything except the logs, to which it adds the output of the apps.
    public func removeAllButLogs() {
        try? FileManager.default.moveItem(atPath: "\(self.directory)/state/output", toPath: "\(self.logs)/apps")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? []
        for name in names where name != "logs" {
            try? FileManager.default.removeItem(atPath: "\(self.directory)/\(name)")
        }
    }

    /// Removes the whole directory.
    public func remove() {
        try? FileManager.default.removeItem(atPath: self.directory)
    }
}
