extension Duration {
    /// The whole nanoseconds in it.
    package var nanoseconds: Int64 {
        let parts = self.components
        return parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
    }
}
