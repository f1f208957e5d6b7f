/// One measurement and its reference.
struct Figure {
    /// The name of the measurement, such as `p50`.
    let name: String
    /// The measured value, in ``unit``.
    let value: Double
    /// The unit of ``value``, such as `ms`.
    let unit: String
    /// ``value`` divided by the reference that was measured in the same run.
    let ratio: Double
    /// The name of the reference.
    let reference: String
}

/// A named set of figures.
struct Benchmark: Sendable {
    /// The name for `make bench NAME=`.
    let name: String
    /// Whether it takes so long that it runs only when it is named.
    var runsByNameOnly = false
    /// Measures, and prints nothing; throws ``NotMeasured`` when the reference is not available.
    let run: @Sendable () async throws -> [Figure]
}

/// The machine lacks the tool that is the reference of a benchmark, so there are no figures.
struct NotMeasured: Error {
    /// The tool that is missing, and the command that installs it.
    let reason: String
}
