/// The honest party's experience over some time.
struct Figures: Sendable, CustomStringConvertible {
    /// The times of the actions that succeeded.
    private(set) var times: [Duration] = []
    /// The errors of the actions that failed.
    private(set) var failures: [String] = []

    /// Records an action that succeeded.
    mutating func succeeded(after time: Duration) {
        self.times.append(time)
    }

    /// Records an action that failed.
    mutating func failed(_ error: any Error) {
        self.failures.append("\(error)")
    }

    /// Returns a quantile: this share of the actions took at most the returned time; zero without actions.
    func quantile(_ share: Double) -> Duration {
        let sorted = self.times.sorted()
        guard let last = sorted.indices.last else { return .zero }
        return sorted[min(last, Int((share * Double(sorted.count)).rounded(.up)) - 1)]
    }

    /// The counts and times, for people.
    var description: String {
        let (half, most) = (Self.text(self.quantile(0.5)), Self.text(self.quantile(0.99)))
        let failures = self.failures.first.map { ", \(self.failures.count) failed (\($0))" } ?? ""
        return "\(self.times.count) done, p50 \(half), p99 \(most)\(failures)"
    }

    /// Milliseconds with one decimal place.
    static func text(_ time: Duration) -> String {
        "\((time / .milliseconds(1) * 10).rounded() / 10) ms"
    }
}
