'use strict';

// The messages of docs/protocol/sharing.md that a link needs.

const passwordRounds = 600000;

/** The seed of a link, and whether the link has a password; null for an invalid link, such as one that was cut off. */
function linkOf(fragment) {
  const parts = /^(\.?)([A-Za-z0-9_-]{43})$/.exec(fragment);
  if (!parts) return null;
  try {
    return { seed: fromBase64URL(parts[2]), hasPassword: parts[1] === '.' };
  } catch {
    return null;
  }
}

/** Derives values from the link: the requester's identity, the address of the grant on the server, and the key that opens the grant. */
async function derived(seed, password = null) {
  let secret = seed;
  if (password !== null) {
    const imported = await crypto.subtle.importKey('raw', utf8(password.normalize('NFC')), 'PBKDF2', false, ['deriveBits']);
    const salt = joined(utf8('whereabouts/link-password/v1'), Uint8Array.of(0), seed);
    const bits = await crypto.subtle.deriveBits(
      { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: passwordRounds }, imported, 256);
    secret = joined(seed, new Uint8Array(bits));
  }
  const key = await extract(new Uint8Array(0), secret);
  const value = (label, count) => expand(key, utf8(label), count);
  return {
    identity: await makeIdentity(await value('whereabouts/link-identity/v1', 32)),
    address: await value('whereabouts/link-address/v1', 16),
    key: await value('whereabouts/link-key/v1', 32),
  };
}

/** The grant of a link, with the names of sharer and link; throws when the grant was altered or is for another requester. */
async function openedLink(link, sealed) {
  const associated = joined(utf8('whereabouts/link/v1'), Uint8Array.of(0), link.address);
  const reader = new Reader(await openWithKey(link.key, sealed.slice(0, 12), sealed.slice(12), associated));
  const grant = await openedGrant(reader.counted());
  const opened = { grant, sharerName: reader.text(64), linkName: reader.text(64) };
  reader.zeros();
  if (!isEqual(grant.requester, link.identity.publicKey)) throw new BadBytes('the grant is for someone else');
  return opened;
}

async function openedGrant(bytes) {
  const reader = new Reader(bytes.slice(0, -64));
  const grant = { bytes, id: reader.fixed(16), sharer: reader.fixed(32), requester: reader.fixed(32) };
  const form = reader.unsigned(1);
  if (form > 31) throw new BadBytes('the grant has an unknown form');
  grant.isPrecise = (form & 1) !== 0;
  grant.asksPerson = (form & 8) !== 0;
  grant.notBefore = reader.signed(8);
  grant.notAfter = reader.signed(8);
  grant.intervalSeconds = reader.unsigned(4);
  if (form & 2) {
    grant.hours = { from: reader.unsigned(2), to: reader.unsigned(2) };
    reader.fixed(2);
    if (reader.unsigned(1) === 1) reader.fixed(12);
  }
  if (form & 4) grant.uses = reader.unsigned(2);
  if (form & 16) grant.followMinutes = reader.unsigned(2);
  reader.end();
  await verified(grant.sharer, 'whereabouts/grant/v1', bytes);
  return grant;
}

/** The lifetime of a request, in milliseconds. */
const requestLifetime = 120000;

/** A signed request with the grant of a link; with minutes, it also requests a live share of that length. */
async function makeRequest(identity, grant, now, followMinutes = 0) {
  const recipient = await makeRecipient();
  const id = crypto.getRandomValues(new Uint8Array(16));
  const expires = now + requestLifetime;
  const fields = joined(
    id, grant.bytes, integer((grant.isPrecise ? 1 : 0) + (followMinutes ? 16 : 0), 1), integer(now, 8), integer(expires, 8),
    integer(recipient.suite, 1), recipient.publicKey, followMinutes ? integer(followMinutes, 2) : new Uint8Array(0));
  const bytes = await signed(identity, 'whereabouts/request/v1', fields);
  const permit = await signed(identity, 'whereabouts/read/v1', joined(id, identity.publicKey));
  return {
    id, bytes, recipient, grant, expires, identity,
    followsUntil: followMinutes ? Math.min(now + followMinutes * 60e3, grant.notAfter) : null,
    // Pad all requests to the same length, so that the length does not reveal their kind.
    posted: joined(bytes, new Uint8Array(2048 - bytes.length)),
    authorization: 'Whereabouts ' + base64URL(permit),
  };
}

/** The content of a sharer's sealed message; throws unless the sharer signed and sealed it for this request. */
async function openedMessage(request, bytes, domain, purpose) {
  const reader = new Reader(await verified(request.grant.sharer, domain, bytes));
  if (!isEqual(reader.fixed(16), request.id)) throw new BadBytes('the message is about another request');
  if (!isEqual(reader.fixed(32), request.grant.sharer)) throw new BadBytes('the message is of someone else');
  const sealed = reader.counted();
  reader.end();
  return open(request.recipient, sealed, await sha256(joined(utf8(purpose), Uint8Array.of(0), request.bytes)));
}

const openedAnswer = async (request, bytes) =>
  answerOf(await openedMessage(request, bytes, 'whereabouts/answer/v1', 'whereabouts/sealed-answer/v1'));

const openedUpdate = async (request, bytes) =>
  updateOf(await openedMessage(request, bytes, 'whereabouts/update/v1', 'whereabouts/following/v1'));

/** An update of a live share: a fix, or the reason why there is none. */
function updateOf(content) {
  const reader = new Reader(content);
  const update = { run: reader.unsigned(4), number: reader.unsigned(4), time: reader.signed(8), silence: reader.unsigned(2) };
  const tag = reader.unsigned(1);
  if (tag === 2) update.since = reader.signed(8);
  if (tag === 1 || tag === 2) update.fix = fixOf(reader);
  else if (tag === 3) update.reason = reader.text(96);
  else throw new BadBytes('an update of an unknown kind');
  reader.zeros();
  return update;
}

/** The signed message that ends a live share. */
const followingEnd = (request, now) => signed(
  request.identity, 'whereabouts/following-end/v1', joined(request.id, request.identity.publicKey, integer(now, 8), integer(2, 1)));

function answerOf(content) {
  const reader = new Reader(content);
  reader.fixed(12);
  const tag = reader.unsigned(1);
  if (tag === 1) {
    const fix = fixOf(reader);
    reader.zeros();
    return { fix };
  }
  if (tag !== 2 && tag !== 3) throw new BadBytes('an answer of an unknown kind');
  const answer = tag === 2 ? { refusal: reader.unsigned(1) } : { unavailable: reader.text(160) };
  reader.zeros();
  return answer;
}

function fixOf(reader) {
  const fix = {
    latitude: reader.signed(4) / 1e7, longitude: reader.signed(4) / 1e7, accuracy: reader.unsigned(4) / 1000, time: reader.signed(8),
  };
  const flags = reader.unsigned(1);
  const [altitude, course, speed] = [reader.signed(4), reader.unsigned(2), reader.unsigned(4)];
  if (flags > 7 || Math.abs(fix.latitude) > 90 || Math.abs(fix.longitude) > 180) throw new BadBytes('no such place');
  if (flags & 1) fix.altitude = altitude / 1000;
  if (flags & 2) fix.course = course / 100;
  if (flags & 4) fix.speed = speed / 1000;
  return fix;
}

/** The text of an identity, as `whereabouts identity` prints it. */
async function identityText(publicKey) {
  const check = await sha256(joined(utf8('whereabouts/identity/v1'), Uint8Array.of(0), publicKey));
  return 'id-v1.' + base64URL(joined(publicKey, check.slice(0, 4)));
}
