internal import DurableStorage
internal import Foundation
internal import Glibc

/// The files of locationd's state, readable by their owner alone.
enum StateFile {
    /// Replaces a file's content.
    static func write(_ data: Data, to path: String, durability: DurableFile.Durability) throws(DaemonError) {
        do throws(DurableFileError) {
            try DurableFile(path, writers: .one).replace(Array(data), durability)
        } catch {
            throw DaemonError("\(error)")
        }
    }

    /// Brings a file, or the names in a directory, to the disk.
    static func synchronize(_ path: String) throws(DaemonError) {
        do throws(DurableFileError) {
            try DurableFile.synchronize(path)
        } catch {
            throw DaemonError("\(error)")
        }
    }

    /// Reads a file; nil only when there is none, so that one that cannot be read is never written over.
    static func read(_ path: String) throws(DaemonError) -> Data? {
        do {
            return try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            guard unsafe access(path, F_OK) == 0 else { return nil }
            throw DaemonError("\(path) cannot be read: \(error.localizedDescription)")
        }
    }

    /// Makes a directory that only its owner may enter.
    static func makeDirectory(_ path: String) throws(DaemonError) {
        do {
            try FileManager.default.createDirectory(
                atPath: path,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw DaemonError("cannot create the directory \(path): \(error.localizedDescription)")
        }
    }
}
