"""Pushes of 1 KB through aioapns, as many as it is told; prints how many were accepted, and in how many seconds.

python aioapns-load.py PORT AUTHORITY KEY TEAM-ID KEY-ID APP PUSHES CONCURRENT
"""

import asyncio
import ssl
import sys
import time
from uuid import uuid4

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsProductionClientProtocol

port, authority, key, team, key_id, app, pushes, concurrent = sys.argv[1:]
APNsProductionClientProtocol.APNS_SERVER = "localhost"
APNsProductionClientProtocol.APNS_PORT = int(port)


async def main():
    client = APNs(
        key=open(key).read(),
        key_id=key_id,
        team_id=team,
        topic=app,
        use_sandbox=False,
        max_connections=1,
        ssl_context=ssl.create_default_context(cafile=authority),
    )
    message = {"a": "a" * (1024 - 8)}

    async def send(count):
        accepted = 0
        for _ in range(count):
            request = NotificationRequest(
                device_token="ab" * 32,
                message=message,
                notification_id=str(uuid4()),
                push_type=PushType.ALERT,
                priority=10,
            )
            accepted += (await client.send_notification(request)).is_successful
        return accepted

    # The connection and its first answer belong to no push.
    await send(1)
    start = time.monotonic()
    counts = await asyncio.gather(*[send(int(pushes) // int(concurrent)) for _ in range(int(concurrent))])
    print(f"accepted {sum(counts)} in {time.monotonic() - start}")


asyncio.run(main())
