internal import Glibc

/// The descriptors of this process: each connection is one, and a listener without one left accepts nobody.
package enum Descriptors {
    /// Descriptors kept for all that is no connection: files, event loops, listeners, the metrics.
    static let reserve = 128

    /// Raises the soft limit of descriptors to the hard one.
    ///
    /// The soft limit is 1,024 on most systems, for the sake of programs with `select`; a server is none.
    ///
    /// - Returns: the limit that holds now.
    @discardableResult
    package static func raiseLimit() -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let soft = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { limit.rlim_cur = soft }
        return Int(clamping: limit.rlim_cur)
    }

    /// Shares the descriptors there are among listeners that want more.
    ///
    /// - Returns: the connections that each may have: as many as it wants, or its part of what there is; one at least.
    package static func share(_ limit: Int, among wanted: [Int]) -> [Int] {
        let available = max(limit - Self.reserve, wanted.count)
        let sum = wanted.reduce(0, +)
        guard sum > available else { return wanted }
        return wanted.map { max(1, Int(Double($0) * Double(available) / Double(sum))) }
    }
}
