'use strict';

/** A failure that a person can act on; `kind` selects its text. */
class Trouble extends Error {
  constructor(kind, values = {}) {
    super(kind);
    this.kind = kind;
    this.values = values;
  }
}

const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));

/** A client of the sharing server, for links. */
class Server {
  /** The timeout of an HTTP exchange, in milliseconds. */
  static patience = 15000;
  /** How far the server's clock is ahead of this device's, in milliseconds; the server's clock decides what is valid. */
  ahead = 0;

  now() {
    return Date.now() + this.ahead;
  }

  async fetch(path, options = {}, patience = Server.patience) {
    let response;
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), patience);
    options.signal?.addEventListener('abort', () => controller.abort());
    try {
      response = await fetch(path, {
        cache: 'no-store', credentials: 'omit', redirect: 'error', referrerPolicy: 'no-referrer',
        ...options, signal: controller.signal,
      });
    } catch {
      throw new Trouble(navigator.onLine === false ? 'offline' : 'down');
    } finally {
      clearTimeout(timer);
    }
    const date = Date.parse(response.headers.get('date'));
    // The field has whole seconds, so assume half a second more.
    if (!Number.isNaN(date)) this.ahead = date + 500 - Date.now();
    if (response.status >= 500) throw new Trouble('down');
    return response;
  }

  async failure(response) {
    try {
      return await response.json();
    } catch {
      return {};
    }
  }

  /** The address of map tiles, or null if it is invalid: an operator's mistake then only disables street maps. */
  usable(tiles) {
    try {
      return tiles && new URL(tiles).host && tiles;
    } catch {
      return null;
    }
  }

  /** Fetches the sealed grant of a link, the number of answered requests, and the address of map tiles, if the operator set one. */
  async link(address) {
    const response = await this.fetch('/v1/links/' + hexadecimal(address));
    if (response.status === 429) throw new Trouble('many', { until: (await this.failure(response)).until });
    if (!response.ok) throw new Trouble('gone');
    try {
      const [uses, tiles] = ['uses', 'tiles'].map(name => response.headers.get('whereabouts-' + name));
      return { sealed: new Uint8Array(await response.arrayBuffer()), uses: Number(uses), tiles: this.usable(tiles) };
    } catch {
      throw new Trouble('down');
    }
  }

  /** Posts a request; repeats it when the server does not answer, which is safe because the same bytes are the same request. */
  async post(request) {
    let response;
    for (let attempt = 0; !response; attempt++) {
      try {
        response = await this.fetch('/v1/requests', { method: 'POST', body: request.posted });
      } catch (trouble) {
        if (attempt === 2 || trouble.kind === 'offline') throw trouble;
        await pause(1000);
      }
    }
    if (response.status === 429) throw new Trouble('tooSoon', { until: (await this.failure(response)).until });
    if (response.status !== 202) throw new Trouble('refusedByServer');
  }

  /** The states of a request as they arrive; `slow` when the connection to the server fails. */
  async *states(request) {
    let seen = 0;
    while (this.now() < request.expires + 5000) {
      try {
        const response = await this.fetch(
          `/v1/requests/${hexadecimal(request.id)}/events`, { headers: { authorization: request.authorization } });
        if (!response.ok) throw new Trouble('down');
        // On a new connection the server sends all states again.
        let index = 0;
        for await (const state of eventsOf(response.body)) {
          if (index++ < seen) continue;
          seen = index;
          yield state;
          if (!['accepted', 'pushed', 'woken', 'locating', 'asking'].includes(state.kind)) return;
        }
      } catch (error) {
        if (error instanceof SyntaxError) throw new BadBytes('an event that is no JSON');
      }
      yield { kind: 'slow' };
      await pause(1000);
    }
    yield { kind: 'expired' };
  }

  /** The updates of a live share, then its end; `slow` when the connection fails. Stops when `signal` is aborted. */
  async *updates(request, signal) {
    const options = { headers: { authorization: request.authorization }, signal };
    while (!signal.aborted && this.now() < request.followsUntil) {
      try {
        const response = await this.fetch(`/v1/requests/${hexadecimal(request.id)}/updates`, options);
        if (response.status === 404) return;
        if (!response.ok) throw new Trouble('down');
        for await (const event of eventsOf(response.body)) {
          yield event;
          if (event.ended) return;
        }
      } catch (error) {
        if (error instanceof SyntaxError) throw new BadBytes('an event that is no JSON');
      }
      if (signal.aborted) return;
      yield { kind: 'slow' };
      await pause(2000);
    }
  }

  async end(request) {
    const body = await followingEnd(request, Math.floor(this.now()));
    await this.fetch(`/v1/requests/${hexadecimal(request.id)}/end`, { method: 'POST', body });
  }
}

/** The events of a stream; throws after a long silence, because the server writes a comment every few seconds. */
async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const silence = pause(Server.patience).then(() => { throw new Trouble('down'); });
      const { value, done } = await Promise.race([reader.read(), silence]);
      if (done) return;
      text += value;
      const parts = text.split('\n\n');
      text = parts.pop();
      for (const part of parts) {
        if (part.startsWith('data:')) yield JSON.parse(part.slice(5));
      }
      if (text.length > 65536) throw new BadBytes('an event that is too long');
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
