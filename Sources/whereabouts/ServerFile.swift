internal import Foundation
internal import JSONReading
internal import Sharing

/// The file that says how gateway and server run: the options of their commands, by name.
struct ServerFile: Codable {
    /// Its name in the directory.
    static let name = "whereabouts.json"

    /// A value of an option, or several.
    enum Value: Codable {
        case one(String)
        case many([String])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let text = try? container.decode(String.self) {
                self = .one(text)
            } else {
                self = .many(try container.decode([String].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .one(let text): try container.encode(text)
            case .many(let texts): try container.encode(texts)
            }
        }
    }

    private let programs: [String: [String: Value]]

    /// Says how the programs run.
    init(_ programs: [String: [String: Value]]) {
        self.programs = programs
    }

    /// Reads a file.
    ///
    /// - Throws: ``SharingError`` when it is no such JSON.
    init(json: Data, name: String) throws {
        do {
            self.programs = try JSONReader().decode([String: [String: Value]].self, from: json)
        } catch {
            throw SharingError(
                .badText,
                "\(name) is not as `whereabouts init` writes it: {\"gateway\":{\"option\":\"value\"},\"server\":{…}} is due"
            )
        }
        let unknown = self.programs.keys.filter { !["gateway", "server"].contains($0) }.sorted()
        guard unknown.isEmpty else {
            throw SharingError(
                .badText,
                "\(name) has \"\(unknown[0])\": only \"gateway\" and \"server\" run here; take it out"
            )
        }
    }

    /// The file's text.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self.programs), as: UTF8.self)
        }
    }

    /// The arguments of a program; the command's own parser finds what is wrong with them.
    func arguments(of program: String) -> [String] {
        (self.programs[program] ?? [:]).sorted { $0.key < $1.key }.flatMap { name, value in
            switch value {
            case .one(let text): ["--\(name)=\(text)"]
            case .many(let texts): texts.map { "--\(name)=\($0)" }
            }
        }
    }
}
