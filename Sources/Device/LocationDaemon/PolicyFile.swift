internal import Foundation
internal import WhereaboutsJSONReading
public import WhereaboutsLocationEngine

/// A device's own numbers, from a JSON file (docs/policy.md): `{"extensionAllowance": 20, "pushBudgetCapacity": 60}`.
///
/// A number the file does not name keeps its default; an unknown name or value is an error.
public enum PolicyFile {
    /// Reads a file.
    ///
    /// - Throws: ``DaemonError`` naming the file, the entry and the rule.
    public static func read(_ path: String) throws(DaemonError) -> Policy {
        guard let data = try StateFile.read(path) else {
            throw DaemonError("\(path) does not exist; --policy names it")
        }
        guard let values = try? JSONReader().decode([String: PolicyKey.Value].self, from: data) else {
            throw DaemonError(
                "\(path) is no JSON object of numbers, true, false and rules of stillness (docs/policy.md), such as "
                    + "{\"extensionAllowance\": 20}"
            )
        }
        if let name = JSONReader.doubleName(in: data) {
            throw DaemonError("\(path): \(name) stands there twice; remove one of them")
        }
        var policy = Policy()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard let key = PolicyKey.all.first(where: { $0.name == name }) else {
                let known = PolicyKey.all.map(\.name).sorted().joined(separator: ", ")
                throw DaemonError("\(path): \(name) is unknown; there are: \(known)")
            }
            guard key.set(&policy, value) else {
                throw DaemonError("\(path): \(name) must be \(key.rule), not \(value)")
            }
        }
        guard policy.extensionWarning < policy.extensionAllowance else {
            throw DaemonError("\(path): extensionWarning must be shorter than extensionAllowance")
        }
        return policy
    }
}
