import CoreLocation
import Foundation
import Glibc

/// An extension that does what the payload's `do` says, so that tests see how every kind of extension is treated.
class ProbeService: NSObject, CLLocationPushServiceExtension {
    private let session = CLServiceSession(authorization: .always)

    func didReceiveLocationPushPayload(_ payload: [String: Any], completion: @escaping @Sendable () -> Void) {
        let now = Self.now
        Self.note("received \(payload["number"] ?? now)")
        switch payload["do"] as? String {
        case "crash": abort()
        case "exit": exit(3)
        case "hang": break
        case "stop": kill(getppid(), SIGSTOP)
        case "orphan": kill(getppid(), SIGKILL)
        case "ignore": self.ignoreEverything()
        case "spawn": self.spawn()
        case "bomb": self.bomb()
        case "fill": self.fill(files: 1)
        case "scatter": self.fill(files: 64)
        case "leak": self.leak()
        case "spin": while true { _ = self.session }
        case "fix": self.locate(completion)
        default: completion()
        }
    }

    func serviceExtensionWillTerminate() { Self.note("warned") }

    /// Writes a line into the app's container, where the test reads it.
    static func note(_ line: String) {
        guard let file = fopen("probe.log", "a") else { return }
        fputs("\(line) \(getpid())\n", file)
        fclose(file)
    }

    /// Nanoseconds on the clock that locationd uses.
    static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private func locate(_ completion: @escaping @Sendable () -> Void) {
        Task {
            await ProbeService.firstFix()
            ProbeService.note("fix \(ProbeService.now)")
            completion()
        }
    }

    private static func firstFix() async {
        do {
            for try await update in CLLocationUpdate.liveUpdates() {
                if update.location != nil { return }
            }
        } catch {}
    }

    /// Ignores every signal that can be ignored.
    private func ignoreEverything() {
        for number in 1..<32 as Range<Int32> { signal(number, SIG_IGN) }
    }

    /// Leaves processes behind that left its session and its group, and whose parents have ended.
    private func spawn() {
        self.run("setsid sh -c 'sleep 600 & sleep 600' & setsid setsid sleep 600 & sleep 600 &")
    }

    private func bomb() {
        self.run("i=0; while [ $i -lt 200 ]; do setsid sleep 600 & i=$((i+1)); done; sleep 600")
    }

    private func run(_ script: String) {
        _ = try? Process.run(URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", script])
        Self.note("spawned")
    }

    /// Writes forever, into that many files.
    private func fill(files: Int) {
        let chunk = [UInt8](repeating: 0x55, count: 1 << 20)
        let descriptors = (0..<files).map { open("fill\($0)", O_WRONLY | O_CREAT | O_TRUNC, 0o600) }
        while true {
            for descriptor in descriptors { _ = write(descriptor, chunk, chunk.count) }
            // Each file stays below the limit for files; only their sum exceeds it.
            if files > 1 {
                for descriptor in descriptors where lseek(descriptor, 0, SEEK_CUR) > 32 << 20 {
                    lseek(descriptor, 0, SEEK_SET)
                }
            }
        }
    }

    private func leak() {
        var blocks: [UnsafeMutableRawPointer] = []
        while let block = malloc(1 << 20) {
            memset(block, 1, 1 << 20)
            blocks.append(block)
        }
        // As Swift does when memory runs out.
        Self.note("leaked \(blocks.count)")
        abort()
    }
}
