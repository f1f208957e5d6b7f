extension ZoneRule {
    /// Reads a zone in POSIX form, such as `CET-1CEST,M3.5.0,M10.5.0/3`, which is also the last line of a file of the
    /// time-zone database (RFC 9636).
    ///
    /// Nil if the text is malformed, or a ``ZoneRule`` cannot hold its rule: seconds in an offset, days counted from the year's beginning.
    ///
    /// - Parameter text: the zone; its names are skipped.
    public init?(posix text: some StringProtocol) {
        var reader = Reader(text: Substring(text))
        guard reader.skipName(), let west = reader.offset() else { return nil }
        guard !reader.isAtEnd else {
            self.init(offset: -west)
            return
        }
        guard reader.skipName() else { return nil }
        // One hour ahead by default.
        var moved = -west + 60
        if !reader.isNext(",") {
            guard let said = reader.offset() else { return nil }
            moved = -said
        }
        guard reader.take(","), let begin = reader.moment(), reader.take(","), let end = reader.moment(),
            reader.isAtEnd,
            let daylight = Daylight(offset: moved, begin: begin, end: end)
        else { return nil }
        self.init(offset: -west, daylight: daylight)
    }

    private struct Reader {
        var text: Substring

        var isAtEnd: Bool { self.text.isEmpty }

        func isNext(_ character: Character) -> Bool { self.text.first == character }

        mutating func take(_ character: Character) -> Bool {
            guard self.isNext(character) else { return false }
            self.text.removeFirst()
            return true
        }

        /// Skips three letters or more, or anything between `<` and `>`.
        mutating func skipName() -> Bool {
            if self.take("<") {
                guard let end = self.text.firstIndex(of: ">") else { return false }
                self.text = self.text[self.text.index(after: end)...]
                return true
            }
            let rest = self.text.drop { $0.isASCII && $0.isLetter }
            defer { self.text = rest }
            return self.text.utf8.count - rest.utf8.count >= 3
        }

        mutating func number(_ range: ClosedRange<Int16>) -> Int16? {
            let digits = self.text.prefix { $0.isASCII && $0.isNumber }
            guard (1...3).contains(digits.count), let number = Int16(digits), range.contains(number) else { return nil }
            self.text = self.text[digits.endIndex...]
            return number
        }

        /// Reads hours, and minutes after a colon; returns minutes.
        mutating func span(hoursMax: Int16) -> Int16? {
            let isNegative = self.take("-")
            if !isNegative { _ = self.take("+") }
            guard let hours = self.number(0...hoursMax) else { return nil }
            var minutes = hours * 60
            if self.take(":") {
                guard let more = self.number(0...59) else { return nil }
                minutes += more
            }
            return isNegative ? -minutes : minutes
        }

        mutating func offset() -> Int16? { self.span(hoursMax: 24) }

        mutating func moment() -> Yearly? {
            guard self.take("M"), let month = self.number(1...12), self.take("."), let week = self.number(1...5),
                self.take("."), let weekday = self.number(0...6)
            else { return nil }
            var minute: Int16 = 120
            if self.take("/") {
                guard let said = self.span(hoursMax: 167) else { return nil }
                minute = said
            }
            return Yearly(month: UInt8(month), week: UInt8(week), weekday: UInt8(weekday), minute: minute)
        }
    }
}
