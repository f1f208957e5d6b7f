internal import Hummingbird
internal import NIOCore
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// The connection on which a request arrived, for the routes.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        self.coreContext = .init(source: source)
        self.channel = source.channel
    }

    /// The address of the client.
    var address: AddressBlock { AddressBlock(self.channel.remoteAddress) }
}
