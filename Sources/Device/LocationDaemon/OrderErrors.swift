internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Explains why an order failed or cannot be carried out.
struct OrderErrors {
    let bundles: BundleStore
    let configuration: DaemonConfiguration
    let folders: AppFolders

    /// Why an order failed, as text; nil: it was carried out.
    func failure(_ result: OrderResult, of order: Order) -> DaemonError? {
        switch (result, order) {
        case (.done, _): nil
        case (.refused(let refusal), _): self.error(refusal)
        case (.failed(let reason), _): DaemonError(reason)
        case (.endedAtOnce(let end), .run(let bundle, _, _)):
            DaemonError("\(bundle) \(end.words); what it wrote is at the end of \(self.folders.outputPath(of: bundle))")
        case (.pushed(.refused(let reason)), .push(let push)): Self.error(reason, push.bundle)
        case (.endedAtOnce, _), (.pushed, _): nil
        }
    }

    /// Why orders cannot start, end or push to an app; nil: they can.
    func refusalOfProcess(_ bundle: BundleID) -> DaemonError? {
        guard self.bundles.apps[bundle] != nil || bundle == NMEAReaders.bundle else { return nil }
        return ProgramApps.refusalOfProcess(bundle, nmeaSocket: self.configuration.nmeaSocket)
    }

    private func error(_ refusal: OrderRefusal) -> DaemonError {
        let rules = self.configuration.rules
        switch refusal {
        case .notInstalled(let bundle): return self.unknown(bundle)
        case .notRunning(let bundle):
            return DaemonError("\(bundle) is not running; `locationctl run \(bundle)` starts it")
        case .runsWithOtherArguments(let bundle):
            return DaemonError(
                "\(bundle) is already running, and cannot get other arguments; `locationctl terminate \(bundle)` ends it first, or "
                    + "remove the arguments after --"
            )
        case .restricted(let bundle, let restriction):
            return DaemonError(
                "\(bundle) is \(restriction == .locked ? "locked" : "forbidden") by the device's owner, in \(rules); "
                    + "people cannot change it"
            )
        case .servicesAreManaged:
            return DaemonError(
                "location services are set by the device's owner, in \(rules); people cannot change them"
            )
        case .payloadIsNoObject: return DaemonError("the payload is not a JSON object; \(PushCheckWords.objectRemedy)")
        }
    }

    /// The error for a push that no extension received.
    private static func error(_ reason: Note.PushRefusal, _ app: BundleID) -> DaemonError {
        DaemonError(
            "the push does not reach the extension of \(app): \(DeviceLog.Line.words(reason)); "
                + "`locationctl push \(app) --dry-run` explains each check"
        )
    }

    func unknown(_ bundle: BundleID) -> DaemonError {
        if let reason = self.bundles.broken[bundle] {
            return DaemonError("\(bundle) is not served: \(reason); install it again, or uninstall it")
        }
        let lack = bundle.rawValue.isEmpty ? "an empty text names no app" : "no app \(bundle) is installed"
        let known = self.bundles.apps.keys.sorted().map(\.rawValue).joined(separator: ", ")
        return DaemonError(
            "\(lack); "
                + (known.isEmpty ? "none is installed (`locationctl install`)" : "installed apps: \(known)")
        )
    }
}

extension Daemon {
    var orderErrors: OrderErrors {
        OrderErrors(bundles: self.bundles, configuration: self.configuration, folders: self.folders)
    }
}

extension Engine.ProcessEnd {
    /// The failure of a start, as text.
    fileprivate var words: String {
        switch self {
        case .exited(let status): "exited at once, with status \(status)"
        case .signalled(let signal): "was ended at once by signal \(signal)"
        case .neverStarted, .neverConnected: "ended at once"
        }
    }
}
