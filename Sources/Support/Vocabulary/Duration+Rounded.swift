extension Duration {
    /// The nearest whole number of milliseconds, for logs of jittered waits.
    package var roundedToMilliseconds: Duration { .milliseconds(Int64((self / .milliseconds(1)).rounded())) }
}
