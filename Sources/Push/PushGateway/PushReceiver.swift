/// The receiver of the requests on a provider's connection.
enum PushReceiver: Sendable {
    /// The gateway, which stores pushes.
    case gateway(GatewayHost)
    /// A mock, which lists requests, and its number for the connection.
    case mock(MockHost, connection: Int)

    func submit(_ pushes: [SubmittedPush], from port: any AwaitsAnswers) {
        switch self {
        case .gateway(let host): host.submit(pushes, from: port)
        case .mock: break  // It decides about each request when it is complete.
        }
    }
}
