internal import Foundation
internal import WhereaboutsHostSupport
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The two clocks of an input.
enum Clocks {
    static func now() -> Now {
        Now(monotonic: .sinceBoot(), wall: self.wall())
    }

    static func wall() -> WallTime {
        WallTime(timeIntervalSince1970: Date().timeIntervalSince1970)
    }
}
