internal import ArgumentParser
internal import WhereaboutsLocationEngine

/// The numbers of ``Policy`` that an owner has a reason to change (docs/policy.md).
struct PolicyOptions: ParsableArguments {
    @Option(
        help: Self.help(
            "How long an app stays in use after it leaves the foreground",
            "seconds",
            Policy().inUseGrace / .seconds(1)
        ),
        transform: Self.seconds
    )
    var inUseGrace = Policy().inUseGrace / .seconds(1)

    @Option(
        help: Self.help(
            "How long a launched app has to resume its sessions",
            "seconds",
            Policy().retakeWindow / .seconds(1)
        ),
        transform: Self.seconds
    )
    var retakeWindow = Policy().retakeWindow / .seconds(1)

    @Option(
        help: Self.help(
            "How long an app runs in the background after each delivery",
            "seconds",
            Policy().backgroundRuntime / .seconds(1)
        ),
        transform: Self.seconds
    )
    var backgroundRuntime = Policy().backgroundRuntime / .seconds(1)

    @Option(
        help: Self.help(
            "How long the receiver stays on after its last use",
            "seconds",
            Policy().receiverLinger / .seconds(1)
        ),
        transform: Self.seconds
    )
    var receiverLinger = Policy().receiverLinger / .seconds(1)

    @Option(
        help: Self.help(
            "Number of location pushes that the budget holds when full",
            "count",
            Policy().pushBudgetCapacity
        ),
        transform: Self.count
    )
    var pushBudgetCapacity = Policy().pushBudgetCapacity

    @Option(
        help: Self.help("Time in which the budget gains one push", "seconds", Policy().pushBudgetRefill / .seconds(1)),
        transform: Self.seconds
    )
    var pushBudgetRefill = Policy().pushBudgetRefill / .seconds(1)

    @Option(
        help: Self.help(
            "Part of the budget that apps may use only up to an equal share",
            "count",
            Policy().pushBudgetReserve
        ),
        transform: Self.count
    )
    var pushBudgetReserve = Policy().pushBudgetReserve

    @Option(
        help: Self.help(
            "Number of pushes that may wait for the extension of one app",
            "count",
            Policy().pushesWaitingMax
        ),
        transform: Self.count
    )
    var pushesWaitingMax = Policy().pushesWaitingMax

    @Option(
        help: Self.help(
            "How long a push extension may run; longer than 5",
            "seconds",
            Policy().extensionAllowance / .seconds(1)
        ),
        transform: Self.seconds
    )
    var extensionAllowance = Policy().extensionAllowance / .seconds(1)

    @Flag(help: "Let pushes wake only apps that have held a service session at least once.")
    var pushesNeedSession = false

    @Flag(help: "Drop the sessions and streams of an app when a person closes it.")
    var closingDropsClaims = false

    func validate() throws {
        let warning = Policy().extensionWarning / .seconds(1)
        guard self.extensionAllowance > warning else {
            throw ValidationError(
                "--extension-allowance must be longer than \(warning) seconds, since an extension is warned that long "
                    + "before its end"
            )
        }
    }

    /// The policy for the engine.
    var policy: Policy {
        var policy = Policy()
        policy.inUseGrace = Self.duration(self.inUseGrace)
        policy.retakeWindow = Self.duration(self.retakeWindow)
        policy.backgroundRuntime = Self.duration(self.backgroundRuntime)
        policy.receiverLinger = Self.duration(self.receiverLinger)
        policy.pushBudgetCapacity = self.pushBudgetCapacity
        policy.pushBudgetRefill = Self.duration(self.pushBudgetRefill)
        policy.pushBudgetReserve = self.pushBudgetReserve
        policy.pushesWaitingMax = self.pushesWaitingMax
        policy.extensionAllowance = Self.duration(self.extensionAllowance)
        policy.pushesWithoutSession = !self.pushesNeedSession
        policy.closingKeepsClaims = !self.closingDropsClaims
        return policy
    }

    /// A help line that ends with the default in brackets, which the parser does not print for converted values.
    private static func help(_ text: String, _ valueName: String, _ value: some CustomStringConvertible) -> ArgumentHelp
    {
        ArgumentHelp("\(text) [\(value)]", valueName: valueName)
    }

    private static func seconds(_ text: String) throws -> Double {
        guard let seconds = Double(text), (0.001...31_536_000).contains(seconds) else {
            throw ValidationError("expected 0.001 to 31536000 seconds")
        }
        return seconds
    }

    private static func duration(_ seconds: Double) -> Duration { .milliseconds(Int64((seconds * 1000).rounded())) }

    private static func count(_ text: String) throws -> Int {
        guard let number = Int(text), (1...1_000_000).contains(number) else {
            throw ValidationError("expected a whole number from 1 to 1000000")
        }
        return number
    }
}
