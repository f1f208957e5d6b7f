extension Scenario {
    /// The maximum number of runs that making a scenario smaller may take.
    private static let runsMax = 600

    /// Makes a scenario that fails smaller, as long as it fails by the same rule.
    ///
    /// Leaves out what is not needed: halves first, then single acts; deaths, grants' users, devices; then brings the healing
    /// forward. Deterministic.
    package func shrunk(_ violation: Violation) -> Scenario {
        var best = self
        var runs = 0
        func fails(_ scenario: Scenario) -> Bool {
            runs += 1
            guard runs <= Self.runsMax, let other = SimulatedRun(scenario).violation else { return false }
            return other.rule == violation.rule
        }
        func reduce<Element>(_ path: WritableKeyPath<Scenario, [Element]>) {
            var size = best[keyPath: path].count
            while size > 0 {
                var start = 0
                while start < best[keyPath: path].count {
                    var smaller = best
                    let end = min(start + size, smaller[keyPath: path].count)
                    smaller[keyPath: path].removeSubrange(start..<end)
                    if fails(smaller) { best = smaller } else { start += size }
                }
                size /= 2
            }
        }
        reduce(\.acts)
        reduce(\.deaths)
        // Only from the end: the elements after a dropped one would change their numbers.
        func dropLast<Element>(_ path: WritableKeyPath<Scenario, [Element]>) {
            while !best[keyPath: path].isEmpty {
                var smaller = best
                smaller[keyPath: path].removeLast()
                guard fails(smaller) else { return }
                best = smaller
            }
        }
        if best.relay != nil {
            var smaller = best
            smaller.relay = nil
            if fails(smaller) { best = smaller }
        }
        dropLast(\.grants)
        dropLast(\.devices)
        dropLast(\.requesters)
        while best.healsAt > 1 {
            var smaller = best
            smaller.healsAt /= 2
            // A failure caused by acts after the healing would be another failure.
            guard smaller.acts.allSatisfy({ $0.at < smaller.healsAt * 1000 }), fails(smaller) else { break }
            best = smaller
        }
        return best
    }
}

extension Violation {
    /// The broken rule, in the words of the objection without its numbers.
    var rule: String { String(self.what.filter { !$0.isNumber }) }
}
