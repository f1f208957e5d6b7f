internal import Foundation
public import LocationEngine

/// A device's own numbers, from a JSON file: `{"extensionAllowance": 20, "pushBudgetCapacity": 60}`.
///
/// Durations are seconds. What is not named keeps its default; a name that is not known is an error.
public enum PolicyFile {
    private static var durations: [String: WritableKeyPath<Policy, Duration>] {
        [
            "inUseGrace": \.inUseGrace, "retakeWindow": \.retakeWindow, "freshFixAge": \.freshFixAge,
            "acquisitionPatience": \.acquisitionPatience, "fixSilence": \.fixSilence,
            "accuracyPatience": \.accuracyPatience, "receiverLinger": \.receiverLinger,
            "receiverClockTolerance": \.receiverClockTolerance,
            "pushBudgetRefill": \.pushBudgetRefill, "extensionAllowance": \.extensionAllowance,
            "extensionWarning": \.extensionWarning, "extensionExit": \.extensionExit,
            "pushRegistrationPatience": \.pushRegistrationPatience,
            "backgroundRuntime": \.backgroundRuntime, "launchPatience": \.launchPatience,
            "relaunchPause": \.relaunchPause, "relaunchPauseMax": \.relaunchPauseMax,
            "liveActivityMax": \.liveActivityMax, "reducedInterval": \.reducedInterval,
            "reducedPlaceAge": \.reducedPlaceAge,
        ]
    }
    private static var counts: [String: WritableKeyPath<Policy, Int>] {
        [
            "pushBudgetCapacity": \.pushBudgetCapacity, "pushBudgetReopening": \.pushBudgetReopening,
            "pushesWaitingMax": \.pushesWaitingMax, "declarationsMax": \.declarationsMax,
        ]
    }

    /// Reads a file.
    ///
    /// - Throws: ``DaemonError`` naming the file, the entry and the rule.
    public static func read(_ path: String) throws(DaemonError) -> Policy {
        guard let data = FileManager.default.contents(atPath: path),
            let values = try? JSONDecoder().decode([String: Double].self, from: data)
        else { throw DaemonError("\(path) is no JSON object of numbers, such as {\"extensionAllowance\": 20}") }
        var policy = Policy()
        for (name, value) in values.sorted(by: { $0.key < $1.key }) {
            guard value > 0, value < 1e9 else {
                throw DaemonError("\(path): \(name) must be greater than 0 and less than 1e9, not \(value)")
            }
            if let duration = self.durations[name] {
                policy[keyPath: duration] = .milliseconds(Int64(value * 1000))
            } else if let count = self.counts[name], let whole = Int(exactly: value) {
                policy[keyPath: count] = whole
            } else {
                let known = (Array(self.durations.keys) + self.counts.keys).sorted().joined(separator: ", ")
                throw DaemonError("\(path): \(name) = \(value) is unknown or no whole number; there are: \(known)")
            }
        }
        guard policy.extensionWarning < policy.extensionAllowance else {
            throw DaemonError("\(path): extensionWarning must be shorter than extensionAllowance")
        }
        return policy
    }
}
