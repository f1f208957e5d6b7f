internal import WhereaboutsGeoClue

/// The introspection data of GeoClue's objects, copied from GeoClue's interface files.
enum Introspection {
    /// The text for an object; an object that does not exist has no interfaces.
    static func text(of path: ObjectPath?) -> String {
        let interface: String
        switch path {
        case .manager: interface = self.manager
        case .client: interface = self.client
        case .location: interface = self.location
        case nil: interface = ""
        }
        return """
            <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
            "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
            <node>
            \(interface)\(path == nil ? "" : self.standard)</node>
            """
    }

    private static func properties(_ names: [(String, String, String)]) -> String {
        names.map { "    <property name=\"\($0.0)\" type=\"\($0.1)\" access=\"\($0.2)\"/>\n" }.joined()
    }

    private static let manager = """
          <interface name="org.freedesktop.GeoClue2.Manager">
            <method name="GetClient"><arg name="client" type="o" direction="out"/></method>
            <method name="CreateClient"><arg name="client" type="o" direction="out"/></method>
            <method name="DeleteClient"><arg name="client" type="o" direction="in"/></method>
            <method name="AddAgent"><arg name="id" type="s" direction="in"/></method>
        \(Self.properties([("InUse", "b", "read"), ("AvailableAccuracyLevel", "u", "read")]))  </interface>

        """

    private static let client = """
          <interface name="org.freedesktop.GeoClue2.Client">
            <method name="Start"/>
            <method name="Stop"/>
            <signal name="LocationUpdated"><arg name="old" type="o"/><arg name="new" type="o"/></signal>
        \(Self.properties([
            ("Location", "o", "read"), ("DistanceThreshold", "u", "readwrite"), ("TimeThreshold", "u", "readwrite"),
            ("DesktopId", "s", "readwrite"), ("RequestedAccuracyLevel", "u", "readwrite"), ("Active", "b", "read"),
        ]))  </interface>

        """

    private static let location = """
          <interface name="org.freedesktop.GeoClue2.Location">
        \(Self.properties([
            ("Latitude", "d", "read"), ("Longitude", "d", "read"), ("Accuracy", "d", "read"), ("Altitude", "d", "read"),
            ("Speed", "d", "read"), ("Heading", "d", "read"), ("Description", "s", "read"),
            ("Timestamp", "(tt)", "read"),
        ]))  </interface>

        """

    private static let standard = """
          <interface name="org.freedesktop.DBus.Properties">
            <method name="Get">
              <arg name="interface" type="s" direction="in"/><arg name="property" type="s" direction="in"/>
              <arg name="value" type="v" direction="out"/>
            </method>
            <method name="GetAll">
              <arg name="interface" type="s" direction="in"/><arg name="properties" type="a{sv}" direction="out"/>
            </method>
            <method name="Set">
              <arg name="interface" type="s" direction="in"/><arg name="property" type="s" direction="in"/>
              <arg name="value" type="v" direction="in"/>
            </method>
            <signal name="PropertiesChanged">
              <arg name="interface" type="s"/><arg name="changed" type="a{sv}"/><arg name="invalidated" type="as"/>
            </signal>
          </interface>
          <interface name="org.freedesktop.DBus.Introspectable">
            <method name="Introspect"><arg name="data" type="s" direction="out"/></method>
          </interface>

        """
}
