extension Duration {
    /// The whole nanoseconds of the duration, limited to 292 years.
    package var nanoseconds: Int64 {
        let parts = self.components
        let (whole, tooLong) = parts.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, tooFar) = whole.addingReportingOverflow(parts.attoseconds / 1_000_000_000)
        return tooLong || tooFar ? (self < .zero ? .min : .max) : sum
    }
}
