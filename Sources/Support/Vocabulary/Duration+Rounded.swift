extension Duration {
    /// The nearest whole number of milliseconds: what logs say of a wait, which random parts make long.
    package var roundedToMilliseconds: Duration { .milliseconds(Int64((self / .milliseconds(1)).rounded())) }
}
