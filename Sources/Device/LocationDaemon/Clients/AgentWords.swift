internal import SwiftProtobuf
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsLocationWireMessages
internal import WhereaboutsVocabulary

/// The messages to an agent, in its person's languages.
struct AgentWords {
    /// The maximum number of bytes of all indicators together; the rest of a packet is spare.
    ///
    /// The indicators of apps that use the location in the background need at most a third, and are never left out.
    private static let indicatorBytesMax = 96 * 1024

    let bundles: BundleStore
    /// The languages, preferred first.
    let languages: [String]

    func prompt(_ prompt: Prompt) -> AgentPrompt {
        let texts = self.bundles.apps[prompt.bundle]?.bundle.texts(in: self.languages)
        let purpose: String?
        switch prompt.question {
        case .whenInUse: purpose = texts?.text(InfoPlistKey.whenInUse)
        case .always, .confirmAlways: purpose = texts?.text(InfoPlistKey.always)
        case .fullAccuracy(let key): purpose = texts?.purpose(key)
        }
        return .with {
            $0.id = prompt.id.rawValue
            $0.bundle = prompt.bundle.rawValue
            $0.appName = self.appName(prompt.bundle)
            $0.purpose = (purpose ?? "").shown(bytesMax: AgentConnections.purposeBytesMax)
            $0.choices = prompt.question.choices
            switch prompt.question {
            case .whenInUse(let offersPrecise):
                $0.question = .whenInUse
                $0.offersPrecise = offersPrecise
            case .always: $0.question = .always
            case .confirmAlways: $0.question = .confirmAlways
            case .fullAccuracy: $0.question = .fullAccuracy
            }
        }
    }

    func indicators(_ indicators: AgentConnections.Indicators) -> AgentIndicators {
        let all = indicators.shown.filter { !$0.isLiveActivity } + indicators.shown.filter(\.isLiveActivity)
        var room = Self.indicatorBytesMax
        var leftOut = indicators.leftOut
        var shown: [AgentIndicator] = []
        for indicator in all {
            let wire = AgentIndicator.with {
                $0.bundle = indicator.bundle.rawValue
                $0.appName = self.appName(indicator.bundle)
                switch indicator.kind {
                case .liveActivity(let title): $0.title = title
                case .sharingStopped: $0.sharingStopped = true
                case .locationInBackground: break
                }
            }
            // 16 bytes cover the tag and length that protobuf writes before each text.
            room -= wire.bundle.utf8.count + wire.appName.utf8.count + wire.title.utf8.count + 16
            if room >= 0 { shown.append(wire) } else { leftOut += 1 }
        }
        return .with {
            $0.indicators = shown
            $0.leftOut = UInt32(clamping: leftOut)
        }
    }

    func apps(_ phases: [AgentConnections.AppPhase]) -> AgentApps {
        .with {
            $0.apps = phases.map { app in
                .with {
                    $0.bundle = app.bundle.rawValue
                    $0.appName = self.appName(app.bundle)
                    $0.phase =
                        switch app.process {
                        case .foreground: .foreground
                        // A headless app is not visible either, so agents see it as a background app.
                        case .background, .headless: .background
                        case .suspended: .suspended
                        case .notRunning: .notRunning
                        }
                }
            }
        }
    }

    private func appName(_ bundle: BundleID) -> String {
        let name = self.bundles.apps[bundle]?.bundle.texts(in: self.languages).name ?? bundle.rawValue
        return name.shown(bytesMax: AgentConnections.nameBytesMax)
    }
}
