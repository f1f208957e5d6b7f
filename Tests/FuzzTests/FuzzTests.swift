internal import Foundation
internal import Testing

/// Goal: no decoder dies of what others send, hangs on it, or eats the memory; whatever it accepts, it can write again.
///
/// Method: valid inputs with wounds, the same ones every time, in a process of their own for each decoder. `make fuzz`
/// runs more of them (ROUNDS, SEED), or for a time (SECONDS). An input that a decoder died of is kept in `FailCases`, and read again forever.
@Suite struct FuzzTests {
    private static func number(_ variable: String, default value: Int) -> Int {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? value
    }

    /// The fuzzed decoders: all, or the one that the environment names.
    private static let chosen = FuzzedDecoder.allCases.filter { decoder in
        ProcessInfo.processInfo.environment["WHEREABOUTS_FUZZ_DECODER"].map { $0.isEmpty || $0 == decoder.rawValue }
            ?? true
    }

    @Test(arguments: Self.chosen) func aDecoderOutlivesItsInput(_ decoder: FuzzedDecoder) async throws {
        let rounds = Self.number("WHEREABOUTS_FUZZ_ROUNDS", default: 2000)
        let seconds = Self.number("WHEREABOUTS_FUZZ_SECONDS", default: 0)
        let seed = UInt64(Self.number("WHEREABOUTS_FUZZ_SEED", default: 1))
        let path = NSTemporaryDirectory() + "fuzz-\(decoder)-\(ProcessInfo.processInfo.processIdentifier)"
        defer { for end in ["", Finding.fileEnd] { try? FileManager.default.removeItem(atPath: path + end) } }
        let result = await #expect(processExitsWith: .success) {
            [decoder, seed = seed as UInt64, rounds = rounds as Int, seconds = seconds as Int, path = path as String] in
            let extent: Fuzzer.Extent = seconds > 0 ? .time(.seconds(seconds)) : .rounds(rounds)
            let count = try Finding.told(beside: path) { try Fuzzer.run(decoder, seed: seed, extent, case: path) }
            try Data("\(count)".utf8).write(to: URL(filePath: path))
        }
        guard result == nil else {
            if seconds > 0 {
                print("fuzz: \(decoder) outlived \(try String(contentsOfFile: path, encoding: .utf8)) inputs")
            }
            return
        }
        let kept = try FailCase.keep(Data(contentsOf: URL(filePath: path)), of: decoder)
        let extent = seconds > 0 ? "SECONDS=\(seconds)" : "ROUNDS=\(rounds)"
        let why = Finding.words(beside: path)
        Issue.record("\(decoder) fails on this input (\(why)): \(kept); reproduce: make fuzz SEED=\(seed) \(extent)")
    }

    /// Each in a process of its own: what failed once may fail again.
    @Test(arguments: FuzzedDecoder.allCases) func whatFailedOnceIsReadNow(_ decoder: FuzzedDecoder) async throws {
        let cases = try FailCase.all(of: decoder)
        if cases.isEmpty { return }
        let path = NSTemporaryDirectory() + "case-\(decoder)-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: path + Finding.fileEnd) }
        let result = await #expect(processExitsWith: .success) {
            [decoder, cases = cases as [[UInt8]], path = path as String] in
            try Finding.told(beside: path) { for input in cases { _ = try decoder.check(input) } }
        }
        if result == nil { Issue.record("\(decoder): \(Finding.words(beside: path))") }
    }

    @Test(arguments: FuzzedDecoder.allCases) func whatIsValidIsRead(_ decoder: FuzzedDecoder) throws {
        #expect(!decoder.seeds.isEmpty)
        for seed in decoder.seeds {
            #expect(decoder.mended(seed) == seed)
            #expect(try decoder.check(seed))
        }
    }

    /// Goal: the fuzzer finds what it looks for.
    ///
    /// Method: a decoder that traps, one that never ends, one that takes memory without end, one that lies.
    @Test(arguments: BrokenDecoder.allCases) func aBrokenDecoderIsFound(_ decoder: BrokenDecoder) async {
        let path = NSTemporaryDirectory() + "fuzz-\(decoder)-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        await #expect(processExitsWith: .failure) { [decoder, path = path as String] in
            _ = try Fuzzer.run(decoder, seed: 1, .rounds(2000), case: path, patience: 1)
        }
        #expect((try? Data(contentsOf: URL(filePath: path)))?.contains(UInt8(ascii: "!")) == true)
    }
}
