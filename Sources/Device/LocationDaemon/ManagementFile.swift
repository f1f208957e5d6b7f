internal import Foundation
internal import OrderedCollections
internal import WhereaboutsJSONReading
public import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The rules of the device's owner, from a JSON file (docs/management.md); they override people's decisions.
///
/// People make the decisions that the file does not name; an unknown name or value is an error.
public enum ManagementFile {
    /// A JSON value; numbers and null are not allowed in the file.
    private enum Value: Decodable {
        case object([String: Value])
        case text(String)
        case flag(Bool)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                self = .flag(flag)
            } else if let text = try? container.decode(String.self) {
                self = .text(text)
            } else {
                self = .object(try container.decode([String: Value].self))
            }
        }
    }

    /// Reads a file.
    ///
    /// - Throws: ``DaemonError`` naming the file, the entry and the rule.
    public static func read(_ path: String) throws(DaemonError) -> Management {
        guard let data = try StateFile.read(path) else {
            throw DaemonError("\(path) does not exist; --management names it")
        }
        guard let value = try? JSONReader().decode(Value.self, from: data), case .object(let entries) = value else {
            throw DaemonError(
                "\(path) is not a JSON object of texts, true, false and objects, such as "
                    + "{\"apps\": {\"com.example.Tracker\": {\"headless\": true, \"answer\": \"always\"}}}"
            )
        }
        if let name = JSONReader.doubleName(in: data) {
            throw self.wrong(path, name, "is given twice; remove one of them")
        }
        var management = Management()
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            switch (key, value) {
            case ("locationServices", .flag(let on)): management.locationServices = on
            case ("everyApp", .object(let entries)): management.everyApp = try self.rule(entries, "everyApp", path)
            case ("apps", .object(let apps)):
                for (bundle, value) in apps.sorted(by: { $0.key < $1.key }) {
                    guard case .object(let entries) = value else {
                        throw self.wrong(path, "apps.\(bundle)", "must be an object, such as {\"headless\": true}")
                    }
                    guard bundle.isBundleIdentifier else {
                        throw self.wrong(path, "apps.\(bundle)", "must be a bundle identifier, such as com.example.App")
                    }
                    management.apps[BundleID(bundle)] = try self.rule(entries, "apps.\(bundle)", path)
                }
            case ("locationServices", _): throw self.wrong(path, key, "must be true or false")
            case ("everyApp", _), ("apps", _): throw self.wrong(path, key, "must be an object")
            default: throw self.wrong(path, key, "is unknown; the members are apps, everyApp, locationServices")
            }
        }
        return management
    }

    private static func rule(
        _ entries: [String: Value],
        _ place: String,
        _ path: String
    ) throws(DaemonError) -> Management.Rule {
        var rule = Management.Rule()
        var answer: String?
        var isPrecise = true
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            switch (key, value) {
            case ("restriction", .text("none")): rule.restriction = .none
            case ("restriction", .text("locked")): rule.restriction = .locked
            case ("restriction", .text("forbidden")): rule.restriction = .forbidden
            case ("restriction", _): throw self.wrong(path, "\(place).\(key)", "must be none, locked or forbidden")
            case ("headless", .flag(let flag)): rule.isHeadless = flag
            case ("precise", .flag(let flag)): isPrecise = flag
            case ("headless", _), ("precise", _): throw self.wrong(path, "\(place).\(key)", "must be true or false")
            case ("answer", .text(let text)) where ["never", "while-using", "always"].contains(text): answer = text
            case ("answer", _): throw self.wrong(path, "\(place).\(key)", "must be never, while-using or always")
            default:
                throw self.wrong(
                    path,
                    "\(place).\(key)",
                    "is unknown; there are: answer, headless, precise, restriction"
                )
            }
        }
        switch answer {
        case "never": rule.answer = .never
        case "while-using": rule.answer = .whileUsing(precise: isPrecise)
        case "always": rule.answer = .always(precise: isPrecise)
        default:
            guard entries["precise"] == nil else {
                throw self.wrong(path, "\(place).precise", "needs answer: while-using or always")
            }
        }
        return rule
    }

    private static func wrong(_ path: String, _ place: String, _ rule: String) -> DaemonError {
        DaemonError("\(path): \(place) \(rule)")
    }
}
