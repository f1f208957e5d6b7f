internal import Foundation
public import WhereaboutsVocabulary

extension WallTime {
    /// The moment of the call, on the system's clock.
    public static var now: WallTime { WallTime(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000)) }
}
