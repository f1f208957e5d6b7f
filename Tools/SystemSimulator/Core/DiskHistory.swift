/// The contents of a disk after each write, for replacing them by an old copy.
struct DiskHistory<Contents> {
    private let empty: Contents
    private var writes: [(time: Instant, contents: Contents)] = []

    init(_ empty: Contents) {
        self.empty = empty
    }

    mutating func append(_ contents: Contents, at time: Instant) {
        self.writes.append((time, contents))
    }

    /// Returns the contents that the disk had a while before.
    func contents(_ now: Instant, before span: Duration) -> Contents {
        let time = Instant(microseconds: now.microseconds - span.microseconds)
        return self.writes.last { $0.time <= time }?.contents ?? self.empty
    }

    /// Returns the contents that the disk had a while before, and forgets all later ones: they could not be told apart from new ones.
    mutating func takeBack(_ now: Instant, before span: Duration) -> Contents {
        let time = Instant(microseconds: now.microseconds - span.microseconds)
        self.writes.removeAll { $0.time > time }
        return self.writes.last?.contents ?? self.empty
    }
}
