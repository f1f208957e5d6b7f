public import Testing

extension VirtualDevice {
    /// Returns one of several values; ``AnyDevice`` runs the test once more, from its start, for each other value.
    ///
    /// ```swift
    /// device.person.answer(device.alternative(of: [.allowAlways, .dontAllow]))
    /// ```
    /// Runs of a seed are the same up to the first call that returns something else, so that each value is tried in the same situation.
    /// Several calls multiply the runs: two of three values each are nine runs for every seed. An app that is ended at each of its
    /// awaits is ended at each await of each run.
    ///
    /// - Parameters:
    ///   - values: the values; at least one.
    ///   - sourceLocation: the test's line, where a problem is shown.
    /// - Returns: one of the values; without `.anyDevice`, the first one, and a problem is reported.
    public func alternative<Value>(
        of values: [Value],
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> Value {
        precondition(!values.isEmpty, "alternative(of: []) has nothing to return; give one value at least")
        guard let trial = Trial.current else {
            Reporter.report(
                "alternative(of:) tries one value only, as the test has no .anyDevice; add the trait, or call it without a choice",
                at: sourceLocation
            )
            return values[0]
        }
        let place = trial.chooses(of: values.count)
        self.host.timeline.add(.event, "test", "continues with \(values[place])")
        return values[place]
    }
}
