internal import DurableStorage
internal import SharingEngine
internal import Vocabulary

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// The timers with which the person of this home asks others.
extension SharingHome {
    private var timersDirectory: String { self.path + "/timers" }

    private func timerFile(_ timer: RequestID) -> String { "\(self.timersDirectory)/\(timer)" }
    private func seenFile(_ timer: RequestID) -> String { self.timerFile(timer) + ".seen" }

    /// The timers of which answers may be fetched, in the order in which they began; what the server deletes is deleted here, too.
    public func outgoingTimers() -> [SharedTimer] {
        self.ownTimers(now: .now).compactMap { SharedTimer($0.request.value) }
    }

    func ownTimers(now: WallTime) -> [OwnTimer] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.timersDirectory)) ?? []
        let timers = names.compactMap { name in RequestID(name).flatMap { self.ownTimer($0) } }
        return timers.filter { timer in
            guard let end = timer.request.value.timerEnd, end.advanced(by: TimerRecord.kept) > now else {
                self.dropTimer(timer.request.value.id)
                return false
            }
            return true
        }
        .sorted { $0.place < $1.place }
    }

    func ownTimer(_ id: RequestID) -> OwnTimer? {
        FileManager.default.contents(atPath: self.timerFile(id)).flatMap { try? OwnTimer(bytes: [UInt8]($0)) }
    }

    func keep(_ timer: OwnTimer) throws {
        if !FileManager.default.fileExists(atPath: self.timersDirectory) {
            try FileManager.default.createDirectory(
                atPath: self.timersDirectory,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
        }
        try HomeFile.replace(self.timerFile(timer.request.value.id), timer.bytes)
    }

    func dropTimer(_ id: RequestID) {
        for path in [self.timerFile(id), self.seenFile(id)] { try? FileManager.default.removeItem(atPath: path) }
    }

    /// The last turn of a timer that the person was shown; 0 before the first.
    public func seenTurn(of timer: SharedTimer) -> UInt16 {
        let text = try? String(contentsOfFile: self.seenFile(timer.request), encoding: .utf8)
        return text.flatMap { UInt16($0) } ?? 0
    }

    /// Records that the person was shown the turns of a timer up to one; when that is lost, they are shown them again.
    public func sawTurns(of timer: SharedTimer, through turn: UInt16) throws {
        try HomeFile.replace(self.seenFile(timer.request), Array("\(turn)".utf8), .process)
    }
}
