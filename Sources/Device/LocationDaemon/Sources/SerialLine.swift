internal import Glibc
internal import WhereaboutsCLinux

/// A serial line, or a pipe in its place, open for reading.
struct SerialLine {
    let descriptor: CInt
    /// Whether the file is a terminal, which has a line speed.
    let isTerminal: Bool

    /// Opens the line; discards the bytes that the kernel has buffered, because they report an earlier position.
    ///
    /// - Throws: ``DaemonError`` when the path does not exist, another program reads it, or it is a regular file.
    init(path: String, speed: Int) throws(DaemonError) {
        let descriptor = unsafe open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw DaemonError("\(path): \(unsafe String(cString: strerror(errno)))")
        }
        do throws(DaemonError) {
            try Self.checkCanBeAwaited(descriptor, of: path)
        } catch {
            close(descriptor)
            throw error
        }
        // Refuse a second reader: each would receive only a part of the sentences.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw DaemonError("\(path) is read by another program; end that one, or have it share its positions (gpsd)")
        }
        self.descriptor = descriptor
        self.isTerminal = isatty(descriptor) == 1
        self.set(speed: speed)
    }

    /// Refuses descriptors that epoll cannot wait for, such as a file or `/dev/null`: reading them would end the process.
    static func checkCanBeAwaited(_ descriptor: CInt, of name: String) throws(DaemonError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw DaemonError("\(name): \(unsafe String(cString: strerror(errno)))")
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: throw DaemonError("\(name) is a file; play it with --replay")
        case S_IFDIR: throw DaemonError("\(name) is a directory; name a serial line or a pipe")
        default: break
        }
        guard clinux_is_waited_for(descriptor) == 1 else {
            throw DaemonError(
                "\(name) cannot be a receiver, because it never has to be waited for; name a serial line, a terminal, a pipe or a socket"
            )
        }
    }

    /// Sets the speed, and raw mode.
    func set(speed: Int) {
        guard self.isTerminal else { return }
        var settings = termios()
        guard unsafe tcgetattr(self.descriptor, &settings) == 0 else { return }
        unsafe cfmakeraw(&settings)
        settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
        settings.c_cflag &= ~tcflag_t(CRTSCTS)
        unsafe cfsetspeed(&settings, Self.constant(of: speed))
        // A line without a speed, such as USB, ignores this setting.
        _ = unsafe tcsetattr(self.descriptor, TCSANOW, &settings)
        tcflush(self.descriptor, TCIFLUSH)
    }

    private static func constant(of speed: Int) -> speed_t {
        switch speed {
        case 4800: speed_t(B4800)
        case 19_200: speed_t(B19200)
        case 38_400: speed_t(B38400)
        case 57_600: speed_t(B57600)
        case 115_200: speed_t(B115200)
        case 230_400: speed_t(B230400)
        case 460_800: speed_t(B460800)
        default: speed_t(B9600)
        }
    }
}
