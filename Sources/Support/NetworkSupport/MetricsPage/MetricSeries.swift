internal import CoreMetrics
internal import Synchronization

/// The values of one series.
final class MetricSeries: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler, TimerHandler {
    /// The kinds of Prometheus metrics that we use.
    enum Kind: String, Sendable {
        /// A number that only grows.
        case counter
        /// A number that can rise and fall.
        case gauge
        /// The number of values, and their sum.
        case summary
    }

    private struct State {
        var count = 0
        var value = 0.0
    }

    let kind: Kind
    private let state = Mutex(State())

    init(_ kind: Kind) {
        self.kind = kind
    }

    /// The lines of this series on the page.
    func lines(_ name: MetricName) -> [String] {
        let state = self.state.withLock { $0 }
        switch self.kind {
        case .counter, .gauge: return ["\(name.text()) \(Self.text(state.value))"]
        case .summary:
            return [
                "\(name.text(suffix: "_sum")) \(Self.text(state.value))",
                "\(name.text(suffix: "_count")) \(state.count)",
            ]
        }
    }

    private static func text(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? String(value)
    }

    func increment(by amount: Int64) {
        self.increment(by: Double(amount))
    }

    func increment(by amount: Double) {
        self.state.withLock { $0.value += amount }
    }

    func decrement(by amount: Double) {
        self.increment(by: -amount)
    }

    func reset() {
        self.state.withLock { $0 = State() }
    }

    func set(_ value: Int64) {
        self.set(Double(value))
    }

    func set(_ value: Double) {
        self.state.withLock { $0.value = value }
    }

    func record(_ value: Int64) {
        self.record(Double(value))
    }

    func record(_ value: Double) {
        guard self.kind == .summary else { return self.set(value) }
        self.state.withLock { state in
            state.count += 1
            state.value += value
        }
    }

    func recordNanoseconds(_ duration: Int64) {
        self.record(Double(duration) / 1e9)
    }
}
