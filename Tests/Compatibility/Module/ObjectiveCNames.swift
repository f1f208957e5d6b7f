/// Apple's names in Objective-C, as a program took them from the headers (`dev/objc-names`).
///
/// Nobody's hand was in it, so that it shows where the hand that wrote the list of names was wrong.
public struct ObjectiveCNames: Sendable {
    private let rows: [[String]]

    /// Reads the file; `#` begins a comment.
    public init(_ text: String) {
        self.rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: "\t").map(String.init) }
    }

    /// Where the list of names lacks one of these, says another number, or has a number that is not here.
    ///
    /// - Parameters:
    ///   - list: the list by hand.
    ///   - document: `docs/compatibility.md`, whose table "Only in Objective-C" names what Swift does not see.
    ///   - newer: the cases that are newer than the file.
    /// - Returns: a line for each, for people.
    public func objections(to list: NameList, document: String, newer: Set<String> = []) -> [String] {
        let unseen = Gap.names(in: document, below: "## Only in Objective-C")
        var numbers: [String: String] = [:]
        var objections: [String] = []
        for row in self.rows where unseen.allSatisfy({ row[1] != $0 && row.dropFirst().joined(separator: " ") != $0 }) {
            switch row[0] {
            case "value":
                let name = Self.caseName(row[1])
                numbers[name] = row[2]
                let entry = list.entries.first { $0.name == name && ["case", "static property"].contains($0.kind) }
                if entry == nil {
                    objections.append("\(row[1]) is \(name) in Swift, which the list does not have")
                } else if let entry, !entry.rawValue.isEmpty, entry.rawValue != row[2] {
                    objections.append("\(name) is \(entry.rawValue) in the list, and \(row[1]) is \(row[2])")
                }
            case "constant", "function":
                if !list.entries.contains(where: { $0.kind == row[0] && $0.name.prefix { $0 != "(" } == row[1] }) {
                    objections.append("the list has no \(row[0]) \(row[1])")
                }
            case "field":
                if !list.entries.contains(where: { $0.kind == "property" && $0.name == "\(row[1]).\(row[2])" }) {
                    objections.append("the list has no \(row[1]).\(row[2])")
                }
            case "method":
                if !Self.has(list, Selector(row[2]), of: [Self.swiftType(row[1])]) {
                    objections.append("the list has nothing for \(row[1])'s \(row[2])")
                }
            default:
                let protocols = ["CLLocationManagerDelegate", "CLLocationPushServiceExtension"]
                if !Self.has(list, Selector(row[1]), of: protocols) {
                    objections.append("the list has no requirement \(row[1])")
                }
            }
        }
        objections += list.entries.filter { $0.kind == "case" && !$0.rawValue.isEmpty }.map(\.name)
            .filter { numbers[$0] == nil && !newer.contains($0) }.map { "the list's \($0) is not in Objective-C" }
        return objections
    }

    // MARK: From Objective-C to Swift

    /// The types whose names Swift changes, and the beginnings of their cases' names.
    private static let caseTypes = [
        ("kCLError", "CLError.Code"), ("kCLAuthorizationStatus", "CLAuthorizationStatus"),
        ("CLLocationPushServiceError", "CLLocationPushServiceError.Code"),
        ("CLLiveUpdateConfiguration", "CLLocationUpdate.LiveConfiguration"),
        ("CLServiceSessionAuthorizationRequirement", "CLServiceSession.AuthorizationRequirement"),
        ("CLAccuracyAuthorization", "CLAccuracyAuthorization"), ("CLActivityType", "CLActivityType"),
        ("CLDeviceOrientation", "CLDeviceOrientation"), ("CLProximity", "CLProximity"),
        ("CLRegionState", "CLRegionState"),
    ]

    private static let types = [
        "CLBackgroundActivitySessionDiagnostic": "CLBackgroundActivitySession.Diagnostic",
        "CLBeaconIdentityCondition": "CLMonitor.BeaconIdentityCondition",
        "CLCircularGeographicCondition": "CLMonitor.CircularGeographicCondition",
        "CLMonitoringEvent": "CLMonitor.Event", "CLServiceSessionDiagnostic": "CLServiceSession.Diagnostic",
        "CLUpdate": "CLLocationUpdate",
    ]

    private static func swiftType(_ name: String) -> String { self.types[name] ?? name }

    private static func caseName(_ name: String) -> String {
        guard let (prefix, type) = self.caseTypes.first(where: { name.hasPrefix($0.0) }) else { return name }
        let rest = name.dropFirst(prefix.count)
        return "\(type).\(rest.prefix(1).lowercased())\(rest.dropFirst())"
    }

    private static func has(_ list: NameList, _ selector: Selector, of types: [String]) -> Bool {
        // Every object has it; headers name it to forbid it.
        if selector.words == ["init"] { return true }
        return list.entries.contains { entry in
            guard let type = types.first(where: { entry.name.hasPrefix($0 + ".") }) else { return false }
            return selector.becomes(entry.name.dropFirst(type.count + 1))
        }
    }

    /// The name of a method in Objective-C.
    private struct Selector {
        let words: [String]
        let arguments: Int

        init(_ text: String) {
            let isSetter = text.hasPrefix("set") && text.hasSuffix(":")
            self.arguments = isSetter ? 0 : text.count { $0 == ":" }
            self.words = text.dropFirst(isSetter ? 3 : 0).split(separator: ":").flatMap { Self.words($0) }
        }

        /// Whether a name in Swift can be this one: Swift leaves words out, and puts none in.
        func becomes(_ name: Substring) -> Bool {
            let base = name.prefix { $0 != "(" }
            let labels = name.dropFirst(base.count).split { "():".contains($0) }
            guard labels.count == self.arguments else { return false }
            let words = ([base] + labels.filter { $0 != "_" }).flatMap { Self.words($0) }
            guard words.first == self.words.first else { return false }
            var rest = self.words[...]
            return words.allSatisfy { word in
                guard let index = rest.firstIndex(of: word) else { return false }
                rest = rest[(index + 1)...]
                return true
            }
        }

        private static func words(_ text: Substring) -> [String] {
            var words: [String] = []
            var isInsideCapitals = false
            for character in text {
                if character.isUppercase, !isInsideCapitals { words.append("") }
                if words.isEmpty { words.append("") }
                words[words.count - 1] += character.lowercased()
                isInsideCapitals = character.isUppercase
            }
            return words
        }
    }
}
