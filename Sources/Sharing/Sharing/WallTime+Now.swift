public import WhereaboutsVocabulary

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

extension WallTime {
    /// The moment of the call, on the system's clock.
    public static var now: WallTime { WallTime(milliseconds: Int64(Date.now.timeIntervalSince1970 * 1000)) }
}
