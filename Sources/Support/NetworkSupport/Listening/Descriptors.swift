internal import Glibc

/// The file descriptors of this process; each connection needs one.
package enum Descriptors {
    /// Descriptors reserved for files, event loops, listeners and metrics.
    static let reserve = 128
    /// The fewest descriptors for a server: with fewer, creating an event loop may fail, which ends the process.
    static let least = reserve + 16

    /// The error when the process may open too few files and connections for a server.
    package struct TooFew: Error, Hashable, CustomStringConvertible {
        let limit: Int

        /// The limit, the rule and the remedy.
        package var description: String {
            "this process may open \(self.limit) files and connections, and a server needs \(Descriptors.least) at least; "
                + "raise the limit: `ulimit -n 4096`, or LimitNOFILE=4096 in its unit"
        }
    }

    /// Raises the soft limit of descriptors to the hard limit.
    ///
    /// A server calls this before it creates an event loop.
    ///
    /// The soft limit is 1,024 on most systems, because programs with `select` need that; servers do not use `select`.
    ///
    /// - Returns: the new limit.
    /// - Throws: ``TooFew`` if no server can run with it.
    @discardableResult
    package static func raiseLimit() throws(TooFew) -> Int {
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
        let soft = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        if unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) != 0 { limit.rlim_cur = soft }
        let count = Int(clamping: limit.rlim_cur)
        guard count >= Self.least else { throw TooFew(limit: count) }
        return count
    }

    /// Divides the available descriptors among listeners, if they want more than are available.
    ///
    /// A listener's share depends only on its weight: otherwise a large request would take descriptors from another listener.
    ///
    /// - Parameters:
    ///   - limit: the descriptors of the process.
    ///   - wanted: the connections that each listener wants, and its weight, above 0.
    /// - Returns: the connections of each listener: as many as it wants, or its share of the rest, at least one.
    package static func share(_ limit: Int, among wanted: [(connections: Int, weight: Int)]) -> [Int] {
        var available = max(limit - Self.reserve, wanted.count)
        var granted = wanted.map(\.connections)
        guard granted.reduce(0, +) > available else { return granted }
        var short = Array(wanted.indices)
        while true {
            let weights = short.reduce(0) { $0 + wanted[$1].weight }
            func part(of index: Int) -> Int {
                Int(Double(available) * Double(wanted[index].weight) / Double(weights))
            }
            let content = short.filter { wanted[$0].connections <= part(of: $0) }
            guard !content.isEmpty else {
                for index in short { granted[index] = max(1, part(of: index)) }
                return granted
            }
            for index in content { available -= wanted[index].connections }
            short.removeAll(where: content.contains)
        }
    }
}
