'use strict';

/** A message that does not follow the protocol. */
class BadBytes extends Error {}

const utf8 = text => new TextEncoder().encode(text);

function joined(...parts) {
  const all = new Uint8Array(parts.reduce((count, part) => count + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const isEqual = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i]);

const hexadecimal = bytes => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

function fromHexadecimal(text) {
  return Uint8Array.from(text.match(/../g) ?? [], pair => parseInt(pair, 16));
}

/** Base64url without padding. */
function base64URL(bytes) {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Decodes base64url; throws unless the text is the only valid encoding of its bytes. */
function fromBase64URL(text) {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) throw new BadBytes('not base64url');
  const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), c => c.charCodeAt(0));
  if (base64URL(bytes) !== text) throw new BadBytes('not the one base64url of these bytes');
  return bytes;
}

/** An unsigned or signed integer of `count` bytes, big-endian. */
function integer(value, count) {
  const bytes = new Uint8Array(count);
  let rest = BigInt(value);
  for (let i = count - 1; i >= 0; i--) {
    bytes[i] = Number(rest & 255n);
    rest >>= 8n;
  }
  return bytes;
}

const counted = bytes => joined(integer(bytes.length, 2), bytes);

/** Reads fields of a message one after the other. */
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 0;
  }

  fixed(count) {
    if (this.at + count > this.bytes.length) throw new BadBytes('the message is too short');
    this.at += count;
    return this.bytes.slice(this.at - count, this.at);
  }

  unsigned(count) {
    const value = this.fixed(count).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
    return Number(value);
  }

  signed(count) {
    const value = this.fixed(count).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
    return Number(BigInt.asIntN(count * 8, value));
  }

  counted() {
    return this.fixed(this.unsigned(2));
  }

  /** An untrusted text, without characters that are invisible (joiners of emoji and Persian stay) or change its direction. */
  text(bytesMax) {
    const bytes = this.counted();
    if (bytes.length > bytesMax) throw new BadBytes('the text is too long');
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ').trim();
  }

  zeros() {
    if (this.bytes.slice(this.at).some(byte => byte !== 0)) throw new BadBytes('the filling is not zeros');
    this.at = this.bytes.length;
  }

  end() {
    if (this.at !== this.bytes.length) throw new BadBytes('the message is too long');
  }
}
