internal import Foundation
internal import Testing

/// Goal: no decoder crashes, hangs or exhausts the memory because of an input.
///
/// It can write again everything that it accepts.
///
/// Method: each decoder runs in a separate process, with valid inputs that were damaged in a fixed sequence. `make
/// fuzz` runs more inputs (ROUNDS, SEED) or for a time (SECONDS). An input that ended a decoder is stored in
/// `FailCases`, and is tested in every later run.
@Suite struct FuzzTests {
    private static func number(_ variable: String, default value: Int) -> Int {
        ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? value
    }

    /// The decoders to fuzz: all, or only the decoder in WHEREABOUTS_FUZZ_DECODER.
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

    /// Each input runs in a separate process, since it may fail again.
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

    /// Goal: the fuzzer finds each kind of fault.
    ///
    /// Method: decoders that trap, never return, allocate without limit, or return a wrong result.
    @Test(arguments: BrokenDecoder.allCases) func aBrokenDecoderIsFound(_ decoder: BrokenDecoder) async {
        let path = NSTemporaryDirectory() + "fuzz-\(decoder)-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        await #expect(processExitsWith: .failure) { [decoder, path = path as String] in
            _ = try Fuzzer.run(decoder, seed: 1, .rounds(2000), case: path, patience: 1)
        }
        #expect((try? Data(contentsOf: URL(filePath: path)))?.contains(UInt8(ascii: "!")) == true)
    }
}
