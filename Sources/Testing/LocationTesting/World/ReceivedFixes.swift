internal import WhereaboutsLocationEngine

/// The fixes that a process received: the newest, a count, and enough of the others to draw a line.
struct ReceivedFixes {
    /// About as many points as a screen has pixels in a row.
    private static let max = 2_000

    private(set) var count = 0
    private(set) var newest: Fix?
    /// Every ``stride``-th fix.
    private(set) var points: [Fix] = []
    private var stride = 1

    mutating func add(_ fix: Fix) {
        if self.count.isMultiple(of: self.stride) {
            self.points.append(fix)
            if self.points.count > Self.max {
                self.points = self.points.indices.filter { $0.isMultiple(of: 2) }.map { self.points[$0] }
                self.stride *= 2
            }
        }
        self.count += 1
        self.newest = fix
    }
}
