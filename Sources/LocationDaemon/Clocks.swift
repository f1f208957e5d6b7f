internal import CLinux
internal import Foundation
internal import LocationEngine

/// The two clocks the engine is told.
enum Clocks {
    static func now() -> Now {
        Now(monotonic: EngineInstant(sinceStart: .nanoseconds(clinux_boottime())), wall: self.wall())
    }

    static func wall() -> WallTime {
        WallTime(seconds: Date().timeIntervalSince1970)
    }

    static func nanoseconds(_ instant: EngineInstant) -> Int64 {
        let parts = instant.sinceStart.components
        return parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
    }
}
