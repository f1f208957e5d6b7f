internal import ArgumentParser
internal import NIOPosix
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushGateway

/// `--metrics` of the servers.
struct MetricsOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Serve /metrics (Prometheus), /health and /ready over HTTP; a port without a host listens on 127.0.0.1.",
            valueName: "[host:]port"
        ),
        transform: Self.address
    )
    var metrics: ListenAddress?

    @Sendable private static func address(_ text: String) throws -> ListenAddress {
        try ListenAddress.argument(text.contains(":") ? text : "127.0.0.1:\(text)")
    }

    /// Shows the counters, if the option is given.
    ///
    /// - Returns: the page, and its address.
    func show(
        _ registry: MetricsRegistry,
        isReady: @escaping @Sendable () -> Bool = { true }
    ) async throws -> (listener: MetricsListener, address: ListenAddress)? {
        guard let wanted = self.metrics else { return nil }
        do {
            let listener = try await MetricsListener(
                host: wanted.host,
                port: wanted.port,
                registry: registry,
                group: MultiThreadedEventLoopGroup.singleton,
                isReady: isReady
            )
            return (listener, ListenAddress(host: wanted.host, port: listener.port ?? wanted.port))
        } catch {
            throw OperatorError(description: "--metrics: \(ListeningFailure("\(wanted)", error))")
        }
    }
}

extension ListenAddress {
    @Sendable static func argument(_ text: String) throws -> ListenAddress {
        guard let address = ListenAddress(text) else {
            throw ValidationError("'\(text)' is not HOST:PORT. Give for example 127.0.0.1:8443 or [::]:8443")
        }
        return address
    }
}
