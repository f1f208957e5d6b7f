internal import Crypto
internal import Foundation
internal import WhereaboutsDurableStorage
internal import WhereaboutsVocabulary

/// The files and folders inside an installed bundle, copied to locationd's own folder.
///
/// A bundle with symbolic links is refused, because a link may lead outside of the bundle.
///
/// The owner's approval covers all these files: libraries and translations matter as much as the executable.
struct BundleContents: Hashable {
    /// The maximum number of files and folders; a larger bundle is a mistake, such as a whole build folder.
    static let entriesMax = 10_000
    /// The maximum number of bytes of all files: room for an app that contains maps, which can still be hashed in a few seconds.
    static let bytesMax = 1 << 30

    let root: String
    /// Names below the root, in order.
    let files: [String]
    let folders: [String]

    /// Reads a bundle, and refuses a bundle that is too large or contains other kinds of files.
    init(of root: String) throws(DaemonError) {
        guard let walk = FileManager.default.enumerator(atPath: root) else {
            throw DaemonError("\(root) is missing or cannot be read")
        }
        var (files, folders): ([String], [String]) = ([], [""])
        var bytes = 0
        for case let name as String in walk {
            guard files.count + folders.count < Self.entriesMax else {
                throw DaemonError("\(root) contains more than \(Self.entriesMax) files; remove some")
            }
            let attributes = try? FileManager.default.attributesOfItem(atPath: root + "/" + name)
            switch attributes?[.type] as? FileAttributeType {
            case .typeRegular:
                files.append(name)
                bytes += attributes?[.size] as? Int ?? 0
            case .typeDirectory: folders.append(name)
            default:
                throw DaemonError(
                    "\(root)/\(name) is neither a file nor a folder; a bundle may contain only these, and no links"
                )
            }
            guard bytes <= Self.bytesMax else { throw DaemonError("\(root) contains more than 1 GiB; remove files") }
        }
        self.root = root
        self.files = files.sorted()
        self.folders = folders.sorted()
    }

    private func path(_ name: String) -> String { name.isEmpty ? self.root : self.root + "/" + name }

    /// The state of every file and folder, which differs after any change.
    func stamps() -> [FileStamp?] { (self.folders + self.files).map { FileStamp(path: self.path($0)) } }

    /// The hash of each file.
    func hashes() throws(DaemonError) -> [String: String] {
        var hashes: [String: String] = [:]
        for name in self.files { hashes[name] = try Self.hash(of: self.path(name)) }
        return hashes
    }

    private static func hash(of path: String) throws(DaemonError) -> String {
        var hash = SHA256()
        do {
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            defer { try? file.close() }
            // A mebibyte at a time: a bundle may be larger than the memory.
            while let part = try file.read(upToCount: 1 << 20), !part.isEmpty { hash.update(data: part) }
        } catch {
            throw DaemonError("\(path) cannot be read: \(error.localizedDescription)")
        }
        return Hex.text(of: Array(hash.finalize()))
    }

    /// Writes all files and folders to the disk (fsync).
    func synchronize() throws(DaemonError) {
        do throws(DurableFileError) {
            for name in self.files + self.folders.reversed() { try DurableFile.synchronize(self.path(name)) }
        } catch {
            throw DaemonError("\(error)")
        }
    }
}
