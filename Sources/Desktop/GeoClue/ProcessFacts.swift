/// The kernel's facts about the process of a bus connection; nil: unknown or not readable.
package struct ProcessFacts: Sendable, Hashable {
    /// The content of `/.flatpak-info` in the process's root; Flatpak writes this file, and its app cannot change it.
    package var flatpakInfo: String?
    /// `/proc/PID/cgroup`.
    package var cgroup: String?
    /// The path of the process's program.
    package var executable: String?

    /// Creates the facts; by default, all are unknown.
    package init(flatpakInfo: String? = nil, cgroup: String? = nil, executable: String? = nil) {
        self.flatpakInfo = flatpakInfo
        self.cgroup = cgroup
        self.executable = executable
    }

    /// The Flatpak app; empty: a sandbox without a name; nil: no sandbox.
    package var flatpak: String? {
        guard let info = self.flatpakInfo else { return nil }
        var section = ""
        for line in info.split(separator: "\n") {
            if line.hasPrefix("[") { section = String(line) }
            if section == "[Application]", line.hasPrefix("name=") { return String(line.dropFirst("name=".count)) }
        }
        return ""
    }

    /// The app for which the user's systemd started the process, according to the names of its units (systemd's
    /// "Desktop Environment Integration").
    package func unit(of user: UInt32) -> String? {
        guard let line = self.cgroup?.split(separator: "\n").first(where: { $0.hasPrefix("0::/") }) else { return nil }
        let parts = line.dropFirst("0::/".count).split(separator: "/")
        // Accept only units of apps in the user's own manager; scopes of logins and shells name no app.
        guard parts.contains("user@\(user).service"), let slice = parts.lastIndex(of: "app.slice") else { return nil }
        return parts[(slice + 1)...].lazy.compactMap { Self.app(ofUnit: $0) }.first
    }

    /// The app in `app[-LAUNCHER]-APP-RANDOM.scope` or `app[-LAUNCHER]-APP[@RANDOM].service`; nil for units of another form.
    private static func app(ofUnit unit: Substring) -> String? {
        guard unit.hasPrefix("app-") else { return nil }
        let words: [Substring]
        if unit.hasSuffix(".scope") {
            words = unit.dropFirst("app-".count).dropLast(".scope".count).split(separator: "-").dropLast()
        } else if unit.hasSuffix(".service") {
            words = unit.dropFirst("app-".count).prefix { $0 != "@" }.suffix(ofService: unit).split(separator: "-")
        } else {
            return nil
        }
        guard (1...2).contains(words.count), let app = words.last else { return nil }
        return Self.unescaped(app)
    }

    /// Decodes the bytes that systemd writes as `\x2d`.
    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard rest.popFirst() == UInt8(ascii: "x"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            rest = rest.dropFirst(2)
            bytes.append(value)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension Substring {
    /// Removes `.service`, unless it was already removed with the part behind `@`.
    fileprivate func suffix(ofService unit: Substring) -> Substring {
        self.hasSuffix(".service") ? self.dropLast(".service".count) : self
    }
}
