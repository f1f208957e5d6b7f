internal import Logging
internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationSources
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

extension WireReceiverStatus {
    /// The state of a receiver, with the fixes that the engine refused.
    init(_ receiver: ReceiverHealth, in engine: Engine) {
        let now = Clocks.now()
        let since = receiver.condition(now: now.monotonic).since
        self = .with {
            if since.sinceStart > .zero {
                $0.since = (now.wall - since.duration(to: now.monotonic)).microseconds
            }
            if let fix = receiver.fixAt { $0.lastFixAge = fix.duration(to: now.monotonic) / .seconds(1) }
            $0.driver = receiver.driver ?? ""
            $0.device = receiver.device ?? ""
            if let seen = receiver.sky.seen { $0.satellitesSeen = UInt32(clamping: seen) }
            if let used = receiver.sky.used { $0.satellitesUsed = UInt32(clamping: used) }
            if let hdop = receiver.sky.hdop { $0.hdop = hdop }
            if let rate = receiver.rate { $0.rate = rate }
            $0.faults = UInt32(clamping: receiver.faultCount)
            $0.fault = receiver.fault ?? ""
            let refused = engine.refusedFixes
            $0.refused = .with {
                $0.late = refused[.late]
                $0.future = refused[.future]
                $0.disordered = refused[.disordered]
                $0.nowhere = refused[.nowhere]
                $0.outliers = refused[.outlier]
            }
            $0.clockOffset = WallTime(microseconds: 0).advanced(by: engine.receiverClock.offset).microseconds
        }
    }
}

extension ReceiverHealth.Condition {
    var words: String {
        switch self {
        case .off: "off"
        case .connecting: "connecting"
        case .unreachable(let reason): reason
        case .silent: "connected, but silent"
        case .unintelligible(let fault): "no valid data arrives\(fault.map { ": \($0)" } ?? "")"
        case .noReceiver: "gpsd has no receiver"
        case .searching: "searching"
        case .delivering: "delivering"
        }
    }

    /// The level at which a change to this condition is logged.
    var level: Logger.Level {
        switch self {
        case .off, .connecting: .debug
        case .searching, .delivering: .info
        case .unreachable, .silent, .unintelligible, .noReceiver: .warning
        }
    }

    /// Whether to log the change: not another attempt to connect, and not another wording of the same fault.
    func isNews(after last: Self) -> Bool {
        switch (self, last) {
        case (.unintelligible, .unintelligible), (.connecting, .unreachable): false
        default: self != last
        }
    }
}
