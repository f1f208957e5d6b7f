internal import Foundation
internal import Glibc
internal import Logging
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The share of the disk that one app may have while the disk is full (ADR 0025).
enum DiskShare {
    /// Chooses the app that has to end.
    ///
    /// - Parameters:
    ///   - free: the free bytes on the file system of the state directory.
    ///   - size: the size of that file system, in bytes.
    ///   - held: the bytes in the container of each running app.
    /// - Returns: the app with the most bytes, if the disk is full and that app uses more than a quarter of it.
    static func culprit(free: Int, size: Int, held: [BundleID: Int]) -> BundleID? {
        guard free < Diagnosis.bytesFreeMin, let most = held.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }),
            most.value > size / 4
        else { return nil }
        return most.key
    }
}

/// Ends an app that fills the disk, if apps have their own users.
extension Daemon {
    /// The least time between two measurements of what apps store.
    private static let pauseBetweenLooks = Duration.seconds(10)

    /// Ends the running app that uses more than a quarter of the disk, if the disk is full or nearly full.
    func lookAtDisk() {
        let now = Clocks.now().monotonic
        guard self.appUsers != nil, self.lastLookAtDisk.map({ $0.duration(to: now) > Self.pauseBetweenLooks }) ?? true
        else { return }
        var status = statvfs()
        guard unsafe statvfs(self.configuration.stateDirectory, &status) == 0 else { return }
        let unit = Int(clamping: status.f_frsize)
        let (free, size) = (Int(clamping: status.f_bavail) * unit, Int(clamping: status.f_blocks) * unit)
        guard free < Diagnosis.bytesFreeMin else { return }
        self.lastLookAtDisk = now
        let containers = self.bundles.apps.keys.filter { self.runs[$0] != nil }
            .map { ($0, self.container(of: $0)) }
        let queue = self.executor.queue
        // Measure off the daemon's queue: an app may have many files.
        self.removing.async {
            let held = containers.map { bundle, path in (bundle, (try? HeldDirectory(path: path).bytes()) ?? 0) }
            guard
                let bundle = DiskShare.culprit(
                    free: free,
                    size: size,
                    held: Dictionary(uniqueKeysWithValues: held)
                )
            else { return }
            queue.async { [weak self] in self?.assumeIsolated { $0.endForRoom(bundle) } }
        }
    }

    private func endForRoom(_ bundle: BundleID) {
        self.logger.error(
            "an app is ended: the disk is full, and it has more than a quarter",
            metadata: ["app": "\(bundle)"]
        )
        self.carryOut(.close(bundle, by: .system)) { _ in }
    }
}

extension HeldDirectory {
    /// The bytes on disk of everything below.
    ///
    /// A folder more than ``depthMax`` deep counts as a terabyte, because an app could hide files there.
    func bytes(depth: Int = 0) -> Int {
        var sum = 0
        unsafe self.forEachName { name in
            var status = stat()
            guard unsafe fstatat(self.descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return true }
            // st_blocks counts units of 512 bytes, whatever the block size of the file system (stat(2)).
            sum += Int(status.st_blocks) * 512
            guard status.st_mode & S_IFMT == S_IFDIR else { return true }
            if depth == Self.depthMax {
                sum += 1 << 40
            } else if let inner = unsafe try? HeldDirectory(name, in: self) {
                sum += inner.bytes(depth: depth + 1)
            }
            return true
        }
        return sum
    }
}
