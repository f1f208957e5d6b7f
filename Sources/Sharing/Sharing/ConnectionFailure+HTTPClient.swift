internal import AsyncHTTPClient
package import WhereaboutsNetworkSupport

extension ConnectionFailure {
    private static let timeouts: [HTTPClientError] = [
        .connectTimeout, .deadlineExceeded, .readTimeout, .writeTimeout, .getConnectionFromPoolTimeout,
        .tlsHandshakeTimeout, .httpProxyHandshakeTimeout,
    ]

    /// Finds the reason in an error of a transport: that of the HTTP client, or of what is below it.
    package init(request error: any Error) {
        switch error {
        case let error as TransportFailure: self = error.reason
        case let error as HTTPClientError where Self.timeouts.contains(error): self = .timedOut
        case is HTTPClientError: self = .broken
        default: self.init(error)
        }
    }
}
