internal import Foundation

/// The entitlements that a bundle requests, read from its files; locationd reads the files again and decides.
enum EntitlementFiles {
    static let known = ["aps-environment", "com.apple.developer.location.push"]

    static func wanted(by bundle: String) throws -> [String] {
        guard FileManager.default.fileExists(atPath: bundle + "/Info.plist") else {
            throw Refused("\(bundle) is not a bundle: \(bundle)/Info.plist is missing; `locationctl bundle` makes one")
        }
        let plugins = ((try? FileManager.default.contentsOfDirectory(atPath: bundle + "/PlugIns")) ?? []).sorted()
        let places = [bundle] + plugins.filter { $0.hasSuffix(".appex") }.map { "\(bundle)/PlugIns/\($0)" }
        var wanted: Set<String> = []
        for place in places {
            guard let data = FileManager.default.contents(atPath: place + "/Entitlements.plist"),
                let list = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
            else { continue }
            wanted.formUnion(self.known.filter { self.grants(list[$0]) })
        }
        return wanted.sorted()
    }

    private static func grants(_ value: Any?) -> Bool {
        if let text = value as? String { return !text.isEmpty }
        return (value as? NSNumber)?.boolValue ?? (value as? Bool ?? false)
    }
}
