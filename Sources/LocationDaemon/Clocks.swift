internal import CLinux
internal import Foundation
internal import LocationEngine
internal import LocationHost
internal import Vocabulary

/// The two clocks the engine is told.
enum Clocks {
    static func now() -> Now {
        Now(monotonic: EngineInstant(sinceStart: .nanoseconds(clinux_boottime())), wall: self.wall())
    }

    static func wall() -> WallTime {
        WallTime(timeIntervalSince1970: Date().timeIntervalSince1970)
    }

    static func nanoseconds(_ instant: EngineInstant) -> Int64 {
        instant.sinceStart.nanoseconds
    }
}
