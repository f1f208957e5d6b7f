internal import Foundation
internal import WhereaboutsHostSupport
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Reads the monotonic clock and the wall clock for an input.
enum Clocks {
    static func now() -> Now {
        Now(monotonic: .sinceBoot(), wall: self.wall())
    }

    static func wall() -> WallTime {
        WallTime(timeIntervalSince1970: Date().timeIntervalSince1970)
    }
}
