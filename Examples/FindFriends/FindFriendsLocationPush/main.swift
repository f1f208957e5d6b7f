// On Linux the class that Xcode's template makes is handed over here; it stays as it is. Xcode does not compile this file.
LocationPushService.run { LocationPushService() }
