internal import Hummingbird
internal import NIOCore
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// The connection that a request came on, for the routes.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        self.coreContext = .init(source: source)
        self.channel = source.channel
    }

    /// Where the request comes from.
    var address: AddressBlock { AddressBlock(self.channel.remoteAddress) }
}
