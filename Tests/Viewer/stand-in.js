'use strict';

// A server that serves the viewer's page and behaves as badly as the tests want it: node stand-in.js prints its address.
//
// The seed of a link is 32 times the number of the scenario. Whatever is signed and sealed here is done by the page's own functions and
// node's, so this says nothing about the protocol; viewer.test.js and the tests with the real server do.

const crypto = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const path = require('node:path');
const vm = require('node:vm');

const folder = path.join(__dirname, '../../Sources/Support/CPages/page');
const file = name => fs.readFileSync(path.join(folder, name), 'utf8');
const scripts = ['bytes.js', 'cryptography.js', 'protocol.js', 'world.js', 'map.js', 'words.js', 'text.js', 'server.js', 'page.js'];

const page = vm.createContext({ crypto: crypto.webcrypto, TextEncoder, TextDecoder, atob, btoa, Uint8Array });
for (const name of scripts.slice(0, 3)) vm.runInContext(file(name), page);
const p = vm.runInContext(`({ integer, joined, utf8, counted, signed, makeIdentity, derived, linkOf, base64URL, fromHexadecimal, hexadecimal,
  sha256, labeledExtract, labeledExpand, kemSuite, hpkeSuite })`, page);
const suite = p.hpkeSuite(0x20);

/** What an old browser lacks: it cannot read the script, or has no X25519. */
const lacks = {
  syntax: script => 'with an old browser this is no sentence;' + script,
  cryptography: script => 'crypto.subtle.generateKey = () => Promise.reject(new DOMException("none", "NotSupportedError"));' + script,
};

function document(tiles, lack) {
  const hash = text => `'sha256-${crypto.createHash('sha256').update(text).digest('base64')}'`;
  const script = (lacks[lack] ?? (all => all))(scripts.map(file).join(''));
  const style = file('style.css') + file('see.css');
  // Node has no X-Wing yet, so that here every browser asks without it; link.py asks with it.
  const first = file('first.js') + 'delete SubtleCrypto.supports;';
  const html = file('see.html').replace('{{first.js}}', () => first).replace('{{style}}', () => style)
    .replace('{{world.txt}}', () => file('world.txt')).replace('{{script}}', () => script);
  const policy = `default-src 'none'; script-src ${hash(first)} ${hash(script)}; style-src ${hash(style)}; `
    + `connect-src 'self'; img-src data: ${tiles}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; `
    + `require-trusted-types-for 'script'; trusted-types 'none'`;
  return { html, policy };
}

const empty = new Uint8Array(0);

async function seal(publicKey, info, plaintext) {
  const pair = await crypto.subtle.generateKey({ name: 'X25519' }, true, ['deriveBits']);
  const encapsulated = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey));
  const theirs = await crypto.subtle.importKey('raw', publicKey, { name: 'X25519' }, false, []);
  const agreed = new Uint8Array(await crypto.subtle.deriveBits({ name: 'X25519', public: theirs }, pair.privateKey, 256));
  const shared = await p.labeledExpand(p.kemSuite, await p.labeledExtract(p.kemSuite, empty, 'eae_prk', agreed), 'shared_secret',
    p.joined(encapsulated, publicKey), 32);
  const context = p.joined(Uint8Array.of(0), await p.labeledExtract(suite, empty, 'psk_id_hash', empty),
    await p.labeledExtract(suite, empty, 'info_hash', info));
  const secret = await p.labeledExtract(suite, shared, 'secret', empty);
  const key = await p.labeledExpand(suite, secret, 'key', context, 32);
  const nonce = await p.labeledExpand(suite, secret, 'base_nonce', context, 12);
  return p.joined(encapsulated, sealWithKey(key, nonce, empty, plaintext));
}

function sealWithKey(key, nonce, associated, plaintext) {
  const cipher = crypto.createCipheriv('aes-256-gcm', key, nonce).setAAD(associated);
  return p.joined(new Uint8Array(cipher.update(plaintext)), new Uint8Array(cipher.final()), new Uint8Array(cipher.getAuthTag()));
}

const filled = (bytes, count) => p.joined(bytes, new Uint8Array(count - bytes.length));

const potsdam = { latitude: 52.4009, longitude: 13.0591, accuracy: 12 };
const scenarios = {
  1: { name: 'Alice', link: 'weekend trip', uses: 5, used: 2, fix: potsdam },
  2: { name: 'Alice', uses: 5, used: 4, refusal: 6 },
  3: { name: 'Alice', states: ['accepted', 'pushed', 'unreachable'] },
  4: { name: '<img src=x onerror=alert(1)>\u202e', link: '"><script>alert(2)</script>', unavailable: '<b>no</b>' },
  5: { name: 'Alice', password: 'Schlüssel', fix: potsdam },
  6: { name: 'Alice', altered: true },
  7: { name: 'Alice', delay: 6000, fix: potsdam },
  8: { name: 'Alice', fix: potsdam, forged: true },
  9: { name: 'Alice', until: -60e3 },
  10: { until: 20 * 86400e3, interval: 900, approximate: true, asks: true, fix: { latitude: -16.9, longitude: 179.95, accuracy: 5000 },
    states: ['accepted', 'pushed', 'woken', 'asking', 'answered'] },
  11: { name: 'Alice', post: 403 },
  12: { name: 'Alice', post: 429 },
  13: { name: 'Alice', clock: 3 * 3600e3, fix: potsdam },
  14: { name: 'Alice', get: 503 },
  15: { name: 'Alice', breaks: true, fix: potsdam },
  16: { name: 'Alice', tiles: true, fix: { latitude: 40.7128, longitude: -74.006, accuracy: 900 } },
  18: { name: 'Alice', follow: 60, fix: potsdam },
  17: { name: 'Alice', get: 429 },
  19: { name: 'Alice', uses: 5, used: 9 },
  21: { name: 'Alice', states: ['accepted', 'teleported'] },
  22: { name: 'Alice', raw: '{"kind":' },
  23: { name: 'Alice', raw: '{"kind":"answered"}' },
  24: { name: 'Alice', raw: 'x'.repeat(70000) },
  25: { name: 'Alice', fix: potsdam, replayed: true },
  20: { name: 'Alice', tiles: 'https://tile.example.org:99999/{z}/{x}/{y}.png', fix: potsdam },
};

/** A service of street maps, on another origin. */
const tileService = http.createServer((incoming, response) => {
  console.error('GET', '/tile' + incoming.url, incoming.headers.referer);
  response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(
    `<svg xmlns="http://www.w3.org/2000/svg" width="256" height="256"><rect width="256" height="256" fill="#f2efe9" stroke="#bbb"/>`
    + `<path d="M0 90h256M70 0v256" stroke="#fff" stroke-width="14"/><text x="90" y="150" font-size="20">${incoming.url}</text></svg>`);
});

async function main() {
  await new Promise(resolve => tileService.listen(0, '127.0.0.1', resolve));
  const tiles = `http://127.0.0.1:${tileService.address().port}`;
  const sharer = await p.makeIdentity(new Uint8Array(32).fill(7));
  const stranger = await p.makeIdentity(new Uint8Array(32).fill(9));
  const links = {};
  const now = scenario => Date.now() + (scenario?.clock ?? 0);
  for (const [number, scenario] of Object.entries(scenarios)) {
    const link = await p.derived(new Uint8Array(32).fill(Number(number)), scenario.password ?? null);
    const form = (scenario.approximate ? 0 : 1) + (scenario.asks ? 8 : 0) + (scenario.uses ? 4 : 0) + (scenario.follow ? 16 : 0);
    const grant = await p.signed(sharer, 'whereabouts/grant/v1', p.joined(
      new Uint8Array(16).fill(1), sharer.publicKey, link.identity.publicKey, p.integer(form, 1), p.integer(now(scenario) - 60e3, 8),
      p.integer(now(scenario) + (scenario.until ?? 2 * 3600e3), 8), p.integer(scenario.interval ?? 0, 4),
      scenario.uses ? p.integer(scenario.uses, 2) : empty, scenario.follow ? p.integer(scenario.follow, 2) : empty));
    const plain = filled(p.joined(p.counted(grant), p.counted(p.utf8(scenario.name ?? '')), p.counted(p.utf8(scenario.link ?? ''))), 1024);
    const nonce = crypto.randomBytes(12);
    const associated = p.joined(p.utf8('whereabouts/link/v1'), Uint8Array.of(0), link.address);
    const sealed = p.joined(nonce, sealWithKey(link.key, nonce, associated, plain));
    if (scenario.altered) sealed[200] ^= 1;
    links[p.hexadecimal(link.address)] = { scenario, sealed };
    scenario.grantSize = grant.length;
    scenario.requester = p.hexadecimal(link.identity.publicKey);
  }
  const requests = {};

  const fix = ({ latitude, longitude, accuracy }, scenario) => p.joined(
    p.integer(Math.round(latitude * 1e7), 4), p.integer(Math.round(longitude * 1e7), 4), p.integer(accuracy * 1000, 4),
    p.integer(now(scenario) - 4000, 8), Uint8Array.of(7), p.integer(34250, 4), p.integer(27150, 2), p.integer(1250, 4));

  async function sealedMessage(signer, domain, purpose, { id, bytes, publicKey }, plain) {
    const info = await p.sha256(p.joined(p.utf8(purpose), Uint8Array.of(0), bytes));
    const fields = p.joined(id, sharer.publicKey, p.counted(await seal(publicKey, info, plain)));
    return p.base64URL(await p.signed(signer, domain, fields));
  }

  async function answer(scenario, request) {
    let content;
    if (scenario.refusal) {
      content = p.joined(new Uint8Array(12), Uint8Array.of(2, scenario.refusal));
    } else if (scenario.unavailable) {
      content = p.joined(new Uint8Array(12), Uint8Array.of(3), p.counted(p.utf8(scenario.unavailable)));
    } else {
      content = p.joined(new Uint8Array(12), Uint8Array.of(1), fix(scenario.fix, scenario));
    }
    return sealedMessage(
      scenario.forged ? stranger : sharer, 'whereabouts/answer/v1', 'whereabouts/sealed-answer/v1', request, filled(content, 256));
  }

  /** Three places, the second of which comes twice. */
  async function updates(response, { scenario, request }) {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const number of [0, 1, 1, 0, 2]) {
      const there = { ...scenario.fix, longitude: scenario.fix.longitude + 0.02 * (number + 1) };
      const content = p.joined(
        p.integer(1, 4), p.integer(number, 4), p.integer(now(), 8), p.integer(90, 2), Uint8Array.of(1), fix(there, scenario));
      const update = await sealedMessage(sharer, 'whereabouts/update/v1', 'whereabouts/following/v1', request, filled(content, 128));
      response.write(`data: ${JSON.stringify({ update })}\n\n`);
    }
    open = response;
  }
  let open;

  async function events(response, { scenario, request, opened }) {
    const pause = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
    const kinds = scenario.states ?? ['accepted', 'pushed', 'woken', 'locating', 'answered'];
    response.writeHead(200, { 'content-type': 'text/event-stream', date: new Date(now(scenario)).toUTCString() });
    for (const [index, kind] of kinds.entries()) {
      const event = { kind, at: now(scenario), reason: 'words' };
      // A replayed answer is to another request.
      if (kind === 'answered' && !scenario.raw) event.answer = await answer(scenario, scenario.replayed ? { ...request, id: crypto.randomBytes(16) } : request);
      response.write(`:\n\ndata: ${scenario.raw ?? JSON.stringify(event)}\n\n`);
      if (scenario.breaks && opened === 1 && index === 2) return response.destroy();
      await pause(Number(process.env.PACE ?? 60));
    }
    response.end();
  }

  const server = http.createServer(async (incoming, response) => {
    const chunks = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const reply = (status, body, headers = {}, scenario = null) =>
      response.writeHead(status, { date: new Date(now(scenario)).toUTCString(), ...headers }).end(body);
    console.error(incoming.method, incoming.url);
    const url = incoming.url;
    if (url.split('?')[0] === '/see') {
      const { html, policy } = document(tiles, url.split('?')[1]);
      return reply(200, html, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy, 'referrer-policy': 'no-referrer' });
    }
    const link = links[url.replace('/v1/links/', '')];
    if (link) {
      const { scenario, sealed } = link;
      if (scenario.delay) await new Promise(resolve => setTimeout(resolve, scenario.delay));
      if (scenario.get) return reply(scenario.get, JSON.stringify({ error: 'no', until: now() + 600e3 }));
      const headers = { 'content-type': 'application/octet-stream', 'whereabouts-uses': scenario.used ?? 0 };
      if (scenario.tiles) headers['whereabouts-tiles'] = scenario.tiles === true ? tiles + '/{z}/{x}/{y}.svg' : scenario.tiles;
      return reply(200, sealed, headers, scenario);
    }
    if (url === '/v1/requests') {
      const posted = new Uint8Array(Buffer.concat(chunks));
      const requester = p.hexadecimal(posted.slice(64, 96));
      const scenario = Object.values(scenarios).find(scenario => scenario.requester === requester);
      if (posted.length !== 2048 || !scenario) return reply(400, '{}');
      if (scenario.post) return reply(scenario.post, JSON.stringify({ error: 'no', until: now() + 600e3 }));
      const id = posted.slice(0, 16);
      const length = 16 + scenario.grantSize + 1 + 16 + 1 + 32 + 64 + (posted[16 + scenario.grantSize] & 16 ? 2 : 0);
      const request = { id, bytes: posted.slice(0, length), publicKey: posted.slice(34 + scenario.grantSize, 66 + scenario.grantSize) };
      requests[p.hexadecimal(id)] = { scenario, request, opened: 0 };
      return reply(202, JSON.stringify({ id: p.hexadecimal(id) }), {}, scenario);
    }
    const asked = requests[url.split('/')[3]];
    if (asked && url.endsWith('/events') && incoming.headers.authorization?.startsWith('Whereabouts ')) {
      asked.opened += 1;
      return events(response, asked);
    }
    if (asked && url.endsWith('/updates')) return updates(response, asked);
    if (asked && url.endsWith('/end')) {
      open.end(`data: ${JSON.stringify({ ended: { reason: chunks[0][56] } })}\n\n`);
      return reply(204);
    }
    reply(404, '{}');
  });
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => console.log(`listening http://localhost:${server.address().port}`));
}

main();
