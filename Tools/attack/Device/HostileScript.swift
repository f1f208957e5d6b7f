/// The program of the apps in a ``SystemScene``; its first argument is its role.
///
/// It ends by itself after two minutes.
enum HostileScript {
    static let text = #"""
        #!/usr/bin/python3
        import ctypes, os, select, sys, time
        home, role, arguments = os.environ["HOME"], sys.argv[1], sys.argv[2:]
        end = time.monotonic() + 120
        libc = ctypes.CDLL(None, use_errno=True)
        libc.shmat.restype = ctypes.c_void_p
        marks = os.open(home + "/marks", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        def mark(kind=b"."): os.write(marks, kind)
        def pause(): select.select([], [], [], 0.002)

        # Chains of processes that leave their session, fork the next one and end.
        def chains(number):
            def chain():
                while time.monotonic() < end:
                    try:
                        os.setsid()
                    except OSError: pass
                    mark()
                    pause()
                    try:
                        if os.fork(): os._exit(0)
                    except OSError: pass
                os._exit(0)
            for _ in range(int(number)):
                try:
                    if os.fork() == 0: chain()
                except OSError: pass
            select.select([], [], [], 120)

        # Reads shared memory: the segment with gpsd's key, and all others by their numbers. The mark of a success is "!".
        def memory():
            while time.monotonic() < end:
                for segment in [libc.shmget(0x47505344, 0, 0), *range(64)]:
                    if segment >= 0 and libc.shmat(segment, None, 0o10000) != ctypes.c_void_p(-1).value: mark(b"!")
                mark()
                pause()

        # Fills the disk.
        def fill():
            file = os.open(home + "/fill", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
            while time.monotonic() < end:
                try: os.write(file, bytes(65536))
                except OSError: pause()

        # Makes a container that is hard to remove, and open to everybody.
        def nest():
            os.umask(0)
            os.chmod(home, 0o777)
            for number in range(32):
                os.makedirs(f"{home}/{number}/inner/more")
                os.mkfifo(f"{home}/{number}/pipe")
            folder = os.open(home, os.O_RDONLY)
            for _ in range(3000):
                os.mkdir("deep", dir_fd=folder)
                inner = os.open("deep", os.O_RDONLY, dir_fd=folder)
                os.close(folder)
                folder = inner
            mark()
            select.select([], [], [], 120)

        # Exchanges folders of such a container, which it holds open, for links to a folder of root's.
        def swap(victim, others):
            own = os.open(home, os.O_RDONLY)
            number = 0
            while time.monotonic() < end:
                held = []
                try:
                    for folder in range(32):
                        number += 1
                        held.append((os.open(f"{victim}/{folder}", os.O_RDONLY), f"{number}".encode()))
                        os.symlink(others, f"{home}/{number}")
                    while sum(libc.renameat2(folder, b"inner", own, link, 2) == 0 for folder, link in held): mark()
                except OSError: pause()
                for folder, _ in held: os.close(folder)

        globals()[role](*arguments)
        """#
}
