public import CoreMetrics
internal import Synchronization

/// All metrics of a process, and the page that shows them in Prometheus' text format (version 0.0.4).
///
/// Labels are constants of our programs, never text from peers, so that peers cannot add lines to the page.
public final class MetricsRegistry: MetricsFactory {
    private let series = Mutex<[MetricName: MetricSeries]>([:])

    /// Creates a registry without metrics.
    public init() {}

    /// The page: one line for each metric, and one with the kind of each name.
    public var page: String {
        let all = self.series.withLock { $0.sorted { $0.key < $1.key } }
        var lines: [String] = []
        var label = ""
        for (name, series) in all {
            if name.label != label { lines.append("# TYPE \(name.label) \(series.kind.rawValue)") }
            label = name.label
            lines += series.lines(name)
        }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Returns the counter with a name.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        self.handler(.counter, label, dimensions)
    }

    /// Returns the counter with a name, for fractions.
    public func makeFloatingPointCounter(
        label: String,
        dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        self.handler(.counter, label, dimensions)
    }

    /// Returns the gauge with a name.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        self.handler(.gauge, label, dimensions)
    }

    /// Returns the gauge with a name, or, if `aggregate` is true, the count and sum.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        self.handler(aggregate ? .summary : .gauge, label, dimensions)
    }

    /// Returns the count and sum, in seconds, with a name.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        self.handler(.summary, label, dimensions)
    }

    /// Does nothing: a series that disappears from the page would look like a restart of the process.
    public func destroyCounter(_ handler: any CounterHandler) {}

    /// Does nothing, as for counters.
    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}

    /// Does nothing, as for counters.
    public func destroyMeter(_ handler: any MeterHandler) {}

    /// Does nothing, as for counters.
    public func destroyRecorder(_ handler: any RecorderHandler) {}

    /// Does nothing, as for counters.
    public func destroyTimer(_ handler: any TimerHandler) {}

    private func handler(_ kind: MetricSeries.Kind, _ label: String, _ dimensions: [(String, String)]) -> MetricSeries {
        let name = MetricName(label: label, dimensions: dimensions)
        return self.series.withLock { all in
            if let series = all[name] { return series }
            let series = MetricSeries(kind)
            all[name] = series
            return series
        }
    }
}
