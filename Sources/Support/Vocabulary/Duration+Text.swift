extension Duration {
    /// Parses a duration such as `90s`, `0.5s`, `30m`, `12h` or `7d`, to the nearest millisecond.
    ///
    /// - Parameter text: a number from 0 to 2^32, and its unit.
    package init?(text: String) {
        let units = ["s": 1.0, "m": 60, "h": 3600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[String($0)] }),
            text.dropLast().utf8.allSatisfy({
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".")
            }),
            let count = Double(text.dropLast()), count <= 4_294_967_296
        else { return nil }
        self = .milliseconds((count * unit * 1000).rounded())
    }
}
