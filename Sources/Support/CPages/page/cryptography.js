'use strict';

const zeros32 = new Uint8Array(32);

async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}

async function hmac(key, bytes) {
  // HMAC fills its key with zeros, so 32 of them are the empty key, which some browsers refuse.
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

// HPKE (RFC 9180), base mode, DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM: suite 3 of the protocol.

const kemSuite = joined(utf8('KEM'), integer(0x20, 2));
const hpkeSuite = joined(utf8('HPKE'), integer(0x20, 2), integer(1, 2), integer(2, 2));

const labeledExtract = (suite, salt, label, key) => extract(salt, joined(utf8('HPKE-v1'), suite, utf8(label), key));

const labeledExpand = (suite, key, label, info, count) =>
  expand(key, joined(integer(count, 2), utf8('HPKE-v1'), suite, utf8(label), info), count);

/** A key pair that one answer is sealed to. */
async function makeRecipient() {
  const pair = await crypto.subtle.generateKey({ name: 'X25519' }, false, ['deriveBits']);
  const publicKey = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey));
  return { privateKey: pair.privateKey, publicKey };
}

/** Opens what was sealed to a key; throws when anything of it was altered. */
async function open(recipient, sealed, info, associated = new Uint8Array(0)) {
  const encapsulated = sealed.slice(0, 32);
  const theirs = await crypto.subtle.importKey('raw', encapsulated, { name: 'X25519' }, false, []);
  const agreed = new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'X25519', public: theirs }, recipient.privateKey, 256));
  if (agreed.every(byte => byte === 0)) throw new BadBytes('the encapsulated key agrees on zeros');

  const context = joined(encapsulated, recipient.publicKey);
  const shared = await labeledExpand(
    kemSuite, await labeledExtract(kemSuite, new Uint8Array(0), 'eae_prk', agreed), 'shared_secret', context, 32);

  const empty = new Uint8Array(0);
  const idHash = await labeledExtract(hpkeSuite, empty, 'psk_id_hash', empty);
  const infoHash = await labeledExtract(hpkeSuite, empty, 'info_hash', info);
  const schedule = joined(Uint8Array.of(0), idHash, infoHash);
  const secret = await labeledExtract(hpkeSuite, shared, 'secret', empty);
  const key = await labeledExpand(hpkeSuite, secret, 'key', schedule, 32);
  const nonce = await labeledExpand(hpkeSuite, secret, 'base_nonce', schedule, 12);
  return openWithKey(key, nonce, sealed.slice(32), associated);
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

/** The fields with their signature. */
async function signed(identity, domain, fields) {
  const message = joined(utf8(domain), Uint8Array.of(0), fields);
  return joined(fields, new Uint8Array(await crypto.subtle.sign('Ed25519', identity.privateKey, message)));
}

/** The fields of a signed message, once its signature holds. */
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

/** Whether this browser has all that is needed; an old one has not. */
async function isCryptographyThere() {
  try {
    await makeIdentity(zeros32);
    await makeRecipient();
    return typeof DecompressionStream === 'function';
  } catch {
    return false;
  }
}
