internal import Foundation

/// Inputs for which a decoder once failed, stored beside the tests: `FailCases/DECODER/HASH`.
enum FailCase {
    private static func directory(of decoder: FuzzedDecoder) -> URL {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "FailCases/\(decoder)")
    }

    static func all(of decoder: FuzzedDecoder) throws -> [[UInt8]] {
        let directory = self.directory(of: decoder)
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path(percentEncoded: false))
        else { return [] }
        return try names.sorted().map { [UInt8](try Data(contentsOf: directory.appending(path: $0))) }
    }

    /// Stores an input.
    ///
    /// - Returns: its path in the repository.
    static func keep(_ input: Data, of decoder: FuzzedDecoder) throws -> String {
        let hash = input.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        let directory = self.directory(of: decoder)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try input.write(to: directory.appending(path: String(hash, radix: 16)))
        return "Tests/FuzzTests/FailCases/\(decoder)/\(String(hash, radix: 16))"
    }
}
