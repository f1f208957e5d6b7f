internal import Logging
internal import Crypto
func makeFixSource(_ s: DaemonConfiguration.Source, _ e: @escaping @Sendable (FixSourceEvent) -> Void) -> any FixSource { fatalError() }
func makePushLink(_ g: DaemonConfiguration.Gateway, key: Curve25519.Signing.PrivateKey, logger: Logger, _ e: @escaping @Sendable (PushLinkEvent) -> Void) throws -> any PushLinkHost { fatalError() }
