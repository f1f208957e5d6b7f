'use strict';

const zeros32 = new Uint8Array(32);

async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

async function hmac(key, bytes) {
  // HMAC pads its key with zeros, so 32 zeros are equal to the empty key, which some browsers refuse.
  const imported = await crypto.subtle.importKey(
    'raw', key.length ? key : zeros32, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytes));
}

/** HKDF-Extract of RFC 5869 is HMAC. */
const extract = hmac;

async function expand(key, info, count) {
  let block = new Uint8Array(0);
  let all = new Uint8Array(0);
  for (let i = 1; all.length < count; i++) {
    block = await hmac(key, joined(block, info, Uint8Array.of(i)));
    all = joined(all, block);
  }
  return all.slice(0, count);
}

// HPKE (RFC 9180), base mode, HKDF-SHA256, AES-256-GCM, with one of two KEMs: X-Wing, which browsers call MLKEM768-X25519, is suite 2 of
// the protocol; DHKEM(X25519, HKDF-SHA256) is suite 3.

const xWing = 'MLKEM768-X25519';
const kemSuite = joined(utf8('KEM'), integer(0x20, 2));
const hpkeSuite = kem => joined(utf8('HPKE'), integer(kem, 2), integer(1, 2), integer(2, 2));

const labeledExtract = (suite, salt, label, key) => extract(salt, joined(utf8('HPKE-v1'), suite, utf8(label), key));

const labeledExpand = (suite, key, label, info, count) =>
  expand(key, joined(integer(count, 2), utf8('HPKE-v1'), suite, utf8(label), info), count);

/** A key pair for a single answer, in the best suite that this browser supports. */
async function makeRecipient() {
  const isXWing = globalThis.SubtleCrypto?.supports?.('decapsulateBits', xWing) ?? false;
  const [suite, name, format, usage] = isXWing ? [2, xWing, 'raw-public', 'decapsulateBits'] : [3, 'X25519', 'raw', 'deriveBits'];
  const pair = await crypto.subtle.generateKey({ name }, false, [usage]);
  const publicKey = new Uint8Array(await crypto.subtle.exportKey(format, pair.publicKey));
  return { suite, privateKey: pair.privateKey, publicKey };
}

/** The secret that DHKEM(X25519, HKDF-SHA256) agrees on. */
async function agreed(recipient, encapsulated) {
  const theirs = await crypto.subtle.importKey('raw', encapsulated, { name: 'X25519' }, false, []);
  const bits = new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'X25519', public: theirs }, recipient.privateKey, 256));
  if (bits.every(byte => byte === 0)) throw new BadBytes('the encapsulated key agrees on zeros');

  const context = joined(encapsulated, recipient.publicKey);
  return labeledExpand(kemSuite, await labeledExtract(kemSuite, new Uint8Array(0), 'eae_prk', bits), 'shared_secret', context, 32);
}

/** Opens a message that was sealed to a key; throws when it was altered. */
async function open(recipient, sealed, info, associated = new Uint8Array(0)) {
  const isXWing = recipient.suite === 2;
  const suite = hpkeSuite(isXWing ? 0x647a : 0x20);
  const length = isXWing ? 1120 : 32;
  const encapsulated = sealed.slice(0, length);
  const shared = isXWing
    ? new Uint8Array(await crypto.subtle.decapsulateBits({ name: xWing }, recipient.privateKey, encapsulated))
    : await agreed(recipient, encapsulated);

  const empty = new Uint8Array(0);
  const idHash = await labeledExtract(suite, empty, 'psk_id_hash', empty);
  const infoHash = await labeledExtract(suite, empty, 'info_hash', info);
  const schedule = joined(Uint8Array.of(0), idHash, infoHash);
  const secret = await labeledExtract(suite, shared, 'secret', empty);
  const key = await labeledExpand(suite, secret, 'key', schedule, 32);
  const nonce = await labeledExpand(suite, secret, 'base_nonce', schedule, 12);
  return openWithKey(key, nonce, sealed.slice(length), associated);
}

async function openWithKey(key, nonce, ciphertext, associated) {
  const imported = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['decrypt']);
  return new Uint8Array(
    await crypto.subtle.decrypt({ name: 'AES-GCM', iv: nonce, additionalData: associated }, imported, ciphertext));
}

// Ed25519

/** An identity from its secret key of 32 bytes. */
async function makeIdentity(secret) {
  // PKCS #8 of an Ed25519 key (RFC 8410) is these bytes and the secret key.
  const wrapped = joined(fromHexadecimal('302e020100300506032b657004220420'), secret);
  const privateKey = await crypto.subtle.importKey('pkcs8', wrapped, { name: 'Ed25519' }, true, ['sign']);
  const publicKey = fromBase64URL((await crypto.subtle.exportKey('jwk', privateKey)).x);
  return { privateKey, publicKey };
}

/** Returns the fields followed by their signature. */
async function signed(identity, domain, fields) {
  const message = joined(utf8(domain), Uint8Array.of(0), fields);
  return joined(fields, new Uint8Array(await crypto.subtle.sign('Ed25519', identity.privateKey, message)));
}

/** Returns the fields of a signed message; throws when the signature is invalid. */
async function verified(publicKey, domain, bytes) {
  if (bytes.length < 64) throw new BadBytes('the message is too short');
  const fields = bytes.slice(0, -64);
  const key = await crypto.subtle.importKey('raw', publicKey, { name: 'Ed25519' }, false, ['verify']);
  const message = joined(utf8(domain), Uint8Array.of(0), fields);
  if (!await crypto.subtle.verify('Ed25519', key, bytes.slice(-64), message)) {
    throw new BadBytes('the signature does not hold');
  }
  return fields;
}

/** Whether this browser supports the cryptography that links need; an old browser may not. */
async function isCryptographyThere() {
  try {
    await makeIdentity(zeros32);
    await makeRecipient();
    return typeof DecompressionStream === 'function';
  } catch {
    return false;
  }
}
