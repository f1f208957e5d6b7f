extension Duration {
    /// The duration rounded to milliseconds, for logs of waits with jitter.
    package var roundedToMilliseconds: Duration { .milliseconds(Int64((self / .milliseconds(1)).rounded())) }
}
