internal import Foundation
internal import Glibc
internal import WhereaboutsGeoClue

extension ProcessFacts {
    /// The maximum number of bytes to read of a kernel file or of Flatpak's file; both have about a hundred.
    private static let bytesMax = 64 * 1024

    /// Reads the kernel's facts about a process.
    init(of pid: Int32) {
        let place = "/proc/\(pid)"
        self.init(
            flatpakInfo: Self.read("\(place)/root/.flatpak-info"),
            cgroup: Self.read("\(place)/cgroup"),
            executable: try? FileManager.default.destinationOfSymbolicLink(atPath: "\(place)/exe")
        )
    }

    /// Reads a regular file only, because a program could put a pipe in its place, which would block this process.
    private static func read(_ path: String) -> String? {
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var about = stat()
        guard unsafe fstat(descriptor, &about) == 0, about.st_mode & S_IFMT == S_IFREG else { return nil }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < Self.bytesMax {
            let count = unsafe Glibc.read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk.prefix(count)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
