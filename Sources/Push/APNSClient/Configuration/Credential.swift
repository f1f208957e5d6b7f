internal import WhereaboutsAPNS

/// The proof that pushes come from the developer of their app.
enum Credential: Sendable {
    case key(SigningKey)
    case certificate(ProviderCertificate)

    /// Whether the credential names the app of a push; Apple accepts no location push with a certificate.
    func names(_ app: String, _ type: PushType) -> Bool {
        switch self {
        case .key(let key): key.apps.contains(app)
        case .certificate(let certificate): certificate.app == app && type != .location
        }
    }

    /// Whether the credential is for all apps that no other one names.
    var isForAllApps: Bool {
        switch self {
        case .key(let key): key.apps.isEmpty
        case .certificate: false
        }
    }
}
