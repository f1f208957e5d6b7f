internal import WhereaboutsHostSupport
internal import WhereaboutsNetworkSupport

extension BootTimer: Alarm {}
