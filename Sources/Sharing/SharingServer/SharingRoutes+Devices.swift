internal import Hummingbird
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// The devices of a person: each registers, the list is theirs, and one is removed by their word.
extension SharingRoutes {
    func register(_ request: Hummingbird.Request, _ context: ServerContext) async throws -> Response {
        await self.reply(.registration, context) {
            switch try await self.host.register(self.verified(request).verified, from: context.address) {
            case .decided(.confirm): return Response(status: .noContent)
            case .decided(.removed):
                throw Failure(
                    .gone,
                    .removed,
                    "this device was removed; run `whereabouts devices --answer-here` on it to add it again"
                )
            case .decided(.refuse):
                throw Failure(
                    .tooManyRequests,
                    .count,
                    "this person already has \(SharingPolicy.devicesPerSharerMax) devices, the most that are kept; remove one with "
                        + "`whereabouts devices --remove`"
                )
            case .decided(.full): throw Failure.full
            case .tooSoon(let until): throw Failure.address(until)
            }
        }
    }

    func remove(_ request: Hummingbird.Request, _ context: ServerContext) async throws -> Response {
        await self.reply(.removal, context) {
            switch try await self.host.remove(self.verified(request).verified) {
            case .confirm: return Response(status: .noContent)
            case .unknown: throw Self.noDevice
            case .full: throw Failure.full
            }
        }
    }

    func devices(_ request: Hummingbird.Request, _ context: ServerContext) async throws -> Response {
        await self.reply(.devices, context) {
            guard let permit: Verified<DevicesPermit> = Self.bearer(request) else { throw Self.noDevice }
            let (all, answering) = try await self.host.devices(permit)
            guard !all.isEmpty else { throw Self.noDevice }
            return try Self.json(.ok, Wire.Devices(all, answering: answering))
        }
    }

    private static let noDevice = Failure(
        .notFound,
        .unknown,
        "you have no such device registered here. Open its app, or run `whereabouts devices --answer-here` on it."
    )
}
