internal import Crypto
internal import Foundation
internal import Testing

/// Goal: the Swift code of the protobuf schemas is what `make proto` generated from the current schemas.
///
/// `make proto` stores the SHA-256 of every schema and of every generated file, so a changed schema and a changed file
/// are both detected, without protoc.
@Suite struct GeneratedCodeTests {
    static let list = "dev/generated.sha256"

    /// Compares a list of hashes, as `sha256sum` writes it, with files.
    static func complaints(_ list: String, _ files: [String: Data]) -> [String] {
        var kept: [String: String] = [:]
        for line in list.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            if words.count == 2 { kept[String(words[1])] = String(words[0]) }
        }
        let changed = files.compactMap { path, data -> String? in
            guard let hash = kept[path] else { return "\(path) is not in \(Self.list); run `make proto`" }
            let now = SHA256.hash(data: data).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            return hash == now ? nil : "\(path) changed since `make proto` ran; change the schema and run it again"
        }
        let gone = kept.keys.filter { files[$0] == nil }.map { "\($0) is gone; run `make proto`" }
        return (changed + gone).sorted()
    }

    @Test func schemasAndGeneratedCodeAreThoseOfTheLastRun() throws {
        let base = SourceTree.root.appending(path: "Sources")
        let names = try FileManager.default.subpathsOfDirectory(atPath: base.path(percentEncoded: false))
            .filter { $0.hasSuffix(".proto") || $0.hasSuffix(".pb.swift") }
        #expect(names.count >= 6 && names.count % 2 == 0)
        let files = try names.map { ("Sources/\($0)", try Data(contentsOf: base.appending(path: $0))) }
        let complaints = Self.complaints(
            try SourceTree.file(Self.list).text,
            Dictionary(uniqueKeysWithValues: files)
        )
        #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
    }

    @Test func everyDifferenceIsFound() {
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let list = "# protoc 3\n\(hash)  a.proto\n\(hash)  a.pb.swift\n\(hash)  gone.proto\n"
        let files = ["a.proto": Data("abc".utf8), "a.pb.swift": Data("abd".utf8), "new.proto": Data()]
        #expect(
            Self.complaints(list, files) == [
                "a.pb.swift changed since `make proto` ran; change the schema and run it again",
                "gone.proto is gone; run `make proto`", "new.proto is not in dev/generated.sha256; run `make proto`",
            ]
        )
    }
}
