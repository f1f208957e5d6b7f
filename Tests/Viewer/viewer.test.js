'use strict';

// The viewer's script against published and our own test vectors: node --test Tests/Viewer/viewer.test.js

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const vm = require('node:vm');

const root = path.join(__dirname, '../..');
const folder = path.join(root, 'Sources/Support/CPages/page');

const page = vm.createContext({
  crypto: globalThis.crypto, TextEncoder, TextDecoder, Blob, Response, DecompressionStream, atob, btoa, navigator: { languages: ['en-GB'] },
  Uint8Array, Float64Array, Intl,
});
for (const file of ['bytes.js', 'cryptography.js', 'protocol.js', 'world.js', 'words.js', 'text.js']) {
  vm.runInContext(fs.readFileSync(path.join(folder, file), 'utf8'), page, file);
}
const p = vm.runInContext(`({ hexadecimal, fromHexadecimal, base64URL, fromBase64URL, open, extract, expand, makeIdentity, verified,
  linkOf, derived, openedLink, openedGrant, makeRequest, openedAnswer, answerOf, updateOf, followingEnd, identityText, integer, joined, utf8, sha256, counted,
  readWorld, nearestPlaces, distance, bearing, destination, nearText, distanceText })`, page);

const hex = text => p.fromHexadecimal(text);
const unhex = bytes => p.hexadecimal(bytes);

function vectors(name) {
  const lines = fs.readFileSync(path.join(root, 'docs/protocol', name), 'utf8').split('\n');
  return Object.fromEntries(lines.filter(line => line.includes(' = ')).map(line => line.split(' = ')));
}

/** An X25519 key from its secret bytes (RFC 8410). */
async function recipient(secret, publicKey) {
  const wrapped = p.joined(hex('302e020100300506032b656e04220420'), hex(secret));
  const privateKey = await crypto.subtle.importKey('pkcs8', wrapped, { name: 'X25519' }, false, ['deriveBits']);
  return { privateKey, publicKey: hex(publicKey) };
}

const sharing = vectors('sharing-vectors.txt');

test('base64url has one text of the same bytes', () => {
  for (const text of ['', 'AA', 'AAE', 'AAEC', '-_8']) assert.equal(p.base64URL(p.fromBase64URL(text)), text);
  for (const text of ['A', 'AB', 'AA=', 'A A', 'AAF', 'ä']) assert.throws(() => p.fromBase64URL(text));
});

test('HKDF of RFC 5869, appendices A.1 and A.3', async () => {
  const key = hex('0b'.repeat(22));
  const extracted = await p.extract(hex('000102030405060708090a0b0c'), key);
  assert.equal(unhex(extracted), '077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5');
  assert.equal(
    unhex(await p.expand(extracted, hex('f0f1f2f3f4f5f6f7f8f9'), 42)),
    '3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865');
  assert.equal(
    unhex(await p.expand(await p.extract(hex(''), key), hex(''), 42)),
    '8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8');
});

test('the keys, the identity and the text of an identity of our vectors', async () => {
  const identity = await p.makeIdentity(hex(sharing['requester-secret-key']));
  assert.equal(unhex(identity.publicKey), sharing.requester);
  assert.equal(await p.identityText(hex(sharing.sharer)), sharing['sharer-text']);
});

test('the grants of our vectors are read, and an altered byte is found', async () => {
  for (const name of ['grant', 'grant-hours', 'grant-uses', 'grant-asks', 'grant-follow', 'grant-all']) {
    const bytes = hex(sharing[name]);
    const grant = await p.openedGrant(bytes);
    assert.equal(unhex(grant.sharer), sharing.sharer);
    assert.equal(unhex(grant.requester), sharing.requester);
    for (const at of [0, 20, 80, bytes.length - 1]) {
      const altered = bytes.slice();
      altered[at] ^= 1;
      await assert.rejects(p.openedGrant(altered));
    }
    await assert.rejects(p.openedGrant(bytes.slice(0, -1)));
  }
  const all = await p.openedGrant(hex(sharing['grant-all']));
  assert.ok(all.isPrecise && all.asksPerson && all.hours && all.uses && all.followMinutes);
  assert.equal((await p.openedGrant(hex(sharing['grant-uses']))).asksPerson, false);
});

test('the contents of answers of our vectors', () => {
  const { fix } = p.answerOf(hex(sharing['answer-content']));
  assert.deepEqual({ ...fix }, {
    latitude: 52.5200066, longitude: -13.404954, accuracy: 4.5, time: 1800000002345, altitude: 34.25, course: 271.5, speed: 1.25,
  });
  assert.equal(p.answerOf(hex(sharing['refusal-content'])).refusal, 7);
  assert.throws(() => p.answerOf(hex(sharing['refusal-content']).slice(0, 13)));
});

test('the contents of updates of our vectors', () => {
  const moving = p.updateOf(hex(sharing['update-moving']));
  assert.deepEqual({ run: moving.run, number: moving.number, silence: moving.silence }, { run: 1, number: 0, silence: 90 });
  assert.equal(moving.fix.latitude, 52.5200066);
  assert.ok(p.updateOf(hex(sharing['update-still'])).since < moving.time);
  assert.equal(p.updateOf(hex(sharing['update-unknown'])).reason, 'no sky');
  assert.throws(() => p.updateOf(hex(sharing['update-moving']).slice(0, 40)));
});

test('a follower ends a following as in our vectors', async () => {
  const identity = await p.makeIdentity(hex(sharing['requester-secret-key']));
  const theirs = hex(sharing['following-end-follower']);
  const fields = p.joined(theirs.slice(0, 56), Uint8Array.of(2));
  const ours = await p.followingEnd({ id: theirs.slice(0, 16), identity }, Number(BigInt('0x' + unhex(theirs.slice(48, 56)))));
  assert.equal(unhex(ours.slice(0, 57)), unhex(fields));
  await p.verified(identity.publicKey, 'whereabouts/following-end/v1', theirs);
});

test('an answer in suite 3 of our vectors opens for its request alone', async () => {
  const key = await recipient(sharing['x25519-secret-key'], sharing['x25519-public-key']);
  const grant = { sharer: hex(sharing.sharer) };
  const bytes = hex(sharing['x25519-aes-answer']);
  const request = { id: bytes.slice(0, 16), grant, recipient: key, bytes: hex(sharing['schedule-occurrence-2']) };
  assert.deepEqual(
    JSON.stringify(await p.openedAnswer(request, bytes)), JSON.stringify(p.answerOf(hex(sharing['answer-content']))));
  await assert.rejects(p.openedAnswer({ ...request, bytes: hex(sharing['schedule-request']) }, bytes));
  await assert.rejects(p.openedAnswer({ ...request, id: hex('00'.repeat(16)) }, bytes));
  await assert.rejects(p.openedAnswer({ ...request, grant: { sharer: hex(sharing.requester) } }, bytes));
  for (const at of [3, 60, 90, bytes.length - 70, bytes.length - 1]) {
    const altered = bytes.slice();
    altered[at] ^= 1;
    await assert.rejects(p.openedAnswer(request, altered));
  }
});

test('HPKE of the RFC 9180 test vectors, mode 0, kem 32, kdf 1, aead 2', async () => {
  const key = await recipient(
    '497b4502664cfea5d5af0b39934dac72242a74f8480451e1aee7d6a53320333d',
    '430f4b9859665145a6b1ba274024487bd66f03a2dd577d7753c68d7d7d00c00c');
  const sealed = hex('6c93e09869df3402d7bf231bf540fadd35cd56be14f97178f0954db94b7fc256'
    + 'e5d84cd531cfb583096e7cfa9641bd3079cf3a91cda813c52deb5f512be9931980a41de125a925cdad859d5b7a');
  const [info, associated] = [hex('4f6465206f6e2061204772656369616e2055726e'), hex('436f756e742d30')];
  assert.equal(Buffer.from(await p.open(key, sealed, info, associated)).toString(), 'Beauty is truth, truth beauty');
  await assert.rejects(p.open(key, sealed, hex('00'), associated));
  await assert.rejects(p.open(key, sealed, info, hex('00')));
});

test('a request is signed by the requester and has the layout of the protocol', async () => {
  const identity = await p.makeIdentity(hex(sharing['requester-secret-key']));
  const grant = await p.openedGrant(hex(sharing.grant));
  const request = await p.makeRequest(identity, grant, 1800000000000);
  const fields = await p.verified(identity.publicKey, 'whereabouts/request/v1', request.bytes);
  assert.equal(fields.length, 16 + 165 + 1 + 8 + 8 + 1 + 32);
  assert.equal(unhex(fields.slice(16, 181)), sharing.grant);
  assert.equal(unhex(fields.slice(181, 199)), '01' + '000001a3185c5000' + '000001a3185e24c0' + '03');
  assert.equal(request.posted.length, 2048);
  const permit = p.fromBase64URL(request.authorization.slice('Whereabouts '.length));
  await p.verified(identity.publicKey, 'whereabouts/read/v1', permit);
});

test('a fragment is a link, or it was cut', () => {
  const seed = p.base64URL(new Uint8Array(32).fill(7));
  assert.equal(p.linkOf(seed).hasPassword, false);
  assert.equal(p.linkOf('.' + seed).hasPassword, true);
  for (const cut of ['', seed.slice(1), seed + 'A', seed + '.', '..' + seed, seed.slice(0, -1) + '!', seed.slice(0, -1) + 'B', '#' + seed]) {
    assert.equal(p.linkOf(cut), null, cut);
  }
});

test('the keys of links, and a sealed grant, of our vectors', async () => {
  const link = vectors('link-vectors.txt');
  const passwords = [['', null], ['password-', 'password'], ['password-', 'password-decomposed']];
  for (const [prefix, password] of passwords) {
    const { seed, hasPassword } = p.linkOf(link[prefix + 'fragment']);
    assert.equal(unhex(seed), link.seed);
    assert.equal(hasPassword, password !== null);
    const keys = await p.derived(seed, password && Buffer.from(link[password], 'hex').toString());
    assert.equal(unhex(keys.identity.publicKey), link[prefix + 'identity']);
    assert.equal(unhex(keys.address), link[prefix + 'address']);
    assert.equal(unhex(keys.key), link[prefix + 'key']);
    const sealed = hex(link[prefix + 'sealed']);
    const opened = await p.openedLink(keys, sealed);
    assert.equal(unhex(opened.grant.bytes), link[prefix + 'grant']);
    assert.equal(opened.sharerName, Buffer.from(link['sharer-name'], 'hex').toString());
    assert.equal(opened.linkName, Buffer.from(link['link-name'], 'hex').toString());
    sealed[100] ^= 1;
    await assert.rejects(p.openedLink(keys, sealed));
  }
  const [one, other] = [await p.derived(hex(link.seed)), await p.derived(hex(link.seed), 'wrong')];
  assert.notEqual(unhex(one.address), unhex(other.address));
  // A grant for somebody else is none of this link's.
  await assert.rejects(p.openedLink({ ...one, identity: other.identity }, hex(link.sealed)), /someone else/);
});

test('the world is read, and says what is near', async () => {
  const world = await p.readWorld(fs.readFileSync(path.join(folder, 'world.txt'), 'utf8'));
  assert.ok(world.coasts.length > 500 && world.borders.length > 300 && world.places.length > 2000);
  for (const { xs, ys } of [...world.coasts, ...world.borders]) {
    assert.ok(xs.every(x => Math.abs(x) <= 180) && ys.every(y => Math.abs(y) <= 90));
  }
  const near = (latitude, longitude) => p.nearestPlaces(world, { latitude, longitude }, 3);
  assert.equal(near(52.52, 13.40)[0].place.name, 'Berlin');
  assert.equal(near(-33.87, 151.2)[0].place.name, 'Sydney');
  assert.equal(near(-16.9, 179.99).length, 3);
  const [paris, kyoto] = [{ latitude: 48.8566, longitude: 2.3522 }, { latitude: 35.0116, longitude: 135.7681 }];
  assert.ok(Math.abs(p.distance(paris, kyoto) - 9_700e3) < 100e3);
  assert.ok(Math.abs(p.bearing(paris, { latitude: 49.8566, longitude: 2.3522 })) < 0.01);
  const there = p.destination(paris, 250e3, 77);
  assert.ok(Math.abs(p.distance(paris, there) - 250e3) < 1 && Math.abs(p.bearing(paris, there) - 77) < 0.01);
  assert.equal(p.nearText({ place: { name: 'Berlin' }, metres: 26_400, direction: 225 }), '26 km south-west of Berlin');
});

for (const file of ['words.js', 'device-words.js', 'person-words.js', 'dispatch-words.js']) {
  test(`both languages of ${file} have the same sentences with the same values`, () => {
    const words = vm.createContext({});
    vm.runInContext(fs.readFileSync(path.join(folder, file), 'utf8'), words, file);
    const [english, german] = vm.runInContext('[english, german]', words);
    const values = text => String(text).match(/\{\w+\}/g)?.sort().join() ?? '';
    for (const key of new Set([...Object.keys(english), ...Object.keys(german)])) {
      assert.ok(key in german && key in english, key);
      assert.equal(values(german[key]), values(english[key]), key);
      if (Array.isArray(english[key])) assert.equal(german[key].length, english[key].length, key);
    }
  });
}
