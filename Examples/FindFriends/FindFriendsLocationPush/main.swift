// On Linux the class Xcode's template makes is handed over here; it stays as it is.
LocationPushService.run { LocationPushService() }
