internal import Testing
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Compares QR codes with another implementation's (Python's `qrcode`) with the same mask; zxing read each of the 40
/// versions.
struct QRCodeTests {
    /// A text of that many bytes, as it was given to the other implementation.
    private func text(_ count: Int) -> String {
        let bytes = (0..<count).map { index -> UInt8 in
            let place: Int = index * 7 + index / 13
            return UInt8(65 + place % 58)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func rows(_ code: QRCode, dark: Character, light: Character) -> [String] {
        (0..<code.size).map { row in
            String((0..<code.size).map { code.isDark(row: row, column: $0) ? dark : light })
        }
    }

    @Test func aSmallCodeIsDrawnAsTheStandardSays() throws {
        let code = try #require(QRCode(self.text(17)))
        #expect(
            self.rows(code, dark: "#", light: ".") == [
                "#######.##.#..#######", "#.....#..#....#.....#", "#.###.#.###.#.#.###.#", "#.###.#.#.#...#.###.#",
                "#.###.#.#.###.#.###.#", "#.....#...##..#.....#", "#######.#.#.#.#######", "............#........",
                "####..#.#.#..#..###.#", "#.###...###.....#....", "#.##.##.##.....#.#.##", "##..##.#.#.##..#.#...",
                "....#######..####.#..", "........##......#.#.#", "#######....#...####..", "#.....#..#..##.#.###.",
                "#.###.#..##...##....#", "#.###.#.####.....#...", "#.###.#.#####.#......", "#.....#.###..###....#",
                "#######.######.#.#...",
            ]
        )
    }

    @Test(arguments: [
        (17, 21, 0x86A4_1D72_7978_D585), (586, 81, 0x5C2E_C804_6C6B_0F80), (2953, 177, 0x4F4A_6C53_538E_5722),
    ])
    func codesOfAllSizesAreThoseOfAnotherImplementation(count: Int, size: Int, hash: UInt64) throws {
        let code = try #require(QRCode(self.text(count)))
        var found = FNV1a()
        found.add(self.rows(code, dark: "1", light: "0").joined(separator: "\n").utf8)
        #expect(code.size == size && found.value == hash)
    }

    @Test func moreThanTheLargestHoldsIsNone() {
        #expect(QRCode(self.text(QRCode.bytesMax + 1)) == nil)
        #expect(QRCode("") != nil)
    }

    @Test func aTerminalShowsItInAQuietZone() throws {
        let code = try #require(QRCode("whereabouts"))
        #expect(code.columns == 29 && code.lines.count == 15)
        #expect(code.lines.allSatisfy { $0.hasPrefix("\u{1B}[30;107m    ") && $0.hasSuffix("    \u{1B}[0m") })
        #expect(!code.isDark(row: -1, column: 0) && code.isDark(row: 0, column: 0))
    }
}
