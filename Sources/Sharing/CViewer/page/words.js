'use strict';

const english = {
  title: 'Where is {name}?',
  someone: 'this person',
  someoneTitle: 'A shared location',
  reading: 'Reading the link…',
  invitation: '{name} lets you see where they are.',
  invitationSomeone: 'Someone lets you see where they are.',
  linkName: 'Name of the link',
  until: 'Valid until',
  from: 'Valid from',
  hours: 'Hours',
  hoursValue: '{from} to {to}, on their clock',
  uses: 'Uses',
  usesValue: '{count} in total, for everyone who has the link',
  usesUnlimited: 'Not limited',
  interval: 'Pause',
  intervalValue: '{time} between two questions',
  precision: 'Precision',
  precise: 'As precise as their device knows',
  approximate: 'Approximate, to about 5 km',
  asks: 'Their word',
  asksValue: 'They are asked each time',
  ask: 'Ask where {name} is',
  askSomeone: 'Ask where they are',
  askAgain: 'Ask again',
  follow: 'Follow live for up to {time}',
  stop: 'Stop following',
  live: 'Live',
  liveHint: 'New positions appear until {time}.',
  lost: 'No news at the moment.',
  lostHint: 'Their device or your connection is silent. Following goes on.',
  followed: 'The live share has ended.',
  askHint: 'Nothing is asked before you press the button. {name} can see when the link was used.',
  askHintSomeone: 'Nothing is asked before you press the button. They can see when the link was used.',
  passwordTitle: 'This link has a password',
  passwordHint: 'The person who sent you the link has it.',
  password: 'Password',
  open: 'Open',
  checking: 'Checking the password…',
  wrongPassword: 'The password is wrong, or the link has expired or was revoked.',
  retry: 'Try again',
  nothing: 'The link is not in the address any more.',
  nothingHint: 'This page keeps nothing, so it forgets the link when it is reloaded. Open the link again from the message that you received.',
  cut: 'This link is incomplete.',
  cutHint: 'Part of it got lost, perhaps at the end of a line. Copy all of it, or ask the sender to send it again.',
  gone: 'This link does not work.',
  goneHint: 'It has expired, was revoked, or was changed on its way. Ask the sender for a new one.',
  altered: 'The server sent something that does not belong to this link.',
  alteredHint: 'It was damaged or changed on its way, so this page does not use it. Try again later, or tell the sender.',
  many: 'Too many attempts came from your network.',
  manyHint: 'Try again after {time}.',
  offline: 'You are offline.',
  offlineHint: 'Connect to the internet, then try again.',
  down: 'The server cannot be reached.',
  downHint: 'It may be down for a moment. Try again soon.',
  slow: 'The server is slow…',
  old: 'This browser is too old for this page.',
  oldHint: 'It lacks the encryption that protects the answer (X25519 and Ed25519). Update it, or open the link in a current Firefox, Chrome, Edge or Safari.',
  over: 'This link has expired.',
  overHint: 'It was valid until {time}. Ask the sender for a new one.',
  early: 'This link is not valid yet.',
  earlyHint: 'It is valid from {time}.',
  clock: 'The clock of your device is off by {time}. This page goes by the server’s clock.',
  sending: 'Sending the question…',
  accepted: 'The server has the question.',
  pushed: 'Their device is being woken…',
  woken: 'Their device is awake.',
  locating: 'Their device is finding out where it is…',
  asking: 'They are being asked for their permission…',
  answered: 'The answer is here.',
  unreachable: 'Their device could not be reached.',
  unreachableHint: 'It may be switched off, without a connection, or sharing is paused. Try again later.',
  expired: 'No answer came in time.',
  expiredHint: 'Try again later.',
  failed: 'Their device did not answer.',
  failedHint: 'It received the question but could not answer it. Try again later.',
  refused: 'No location this time.',
  refusedByServer: 'The question was not let in.',
  refusedByServerHint: 'The link has expired or was revoked, or their device is not registered. Ask the sender.',
  tooSoon: 'That was too soon.',
  tooSoonHint: 'The next question is possible after {time}.',
  unavailable: 'Their device does not know where it is.',
  badAnswer: 'An answer came, but it is not theirs.',
  badAnswerHint: 'It was not signed by them for this question, so this page does not show it. The server may be faulty.',
  accuracy: 'Accuracy',
  accuracyValue: 'within {distance}',
  measured: 'Measured',
  measuredValue: '{time} ({age})',
  coordinates: 'Coordinates',
  altitude: 'Altitude',
  speed: 'Speed',
  speedValue: '{speed} to the {direction}',
  copy: 'Copy coordinates',
  copied: 'Copied.',
  mapApp: 'Open in your map app',
  near: '{distance} {direction} of {place}',
  at: 'In {place}, or close to it',
  map: 'Map: {places}. The circle shows the accuracy, {distance}.',
  closer: 'Closer',
  farther: 'Farther',
  mapSource: 'Map: Natural Earth. It is part of this page; no map service learns anything.',
  directions: ['north', 'north-east', 'east', 'south-east', 'south', 'south-west', 'west', 'north-west'],
  how: 'How this works',
  howText: 'The answer is encrypted on their device for this page alone. The server passes it on and cannot read it. The key is in the link, after the #, which browsers do not send. This page stores nothing.',
  signedBy: 'The link and the answers are signed by',
};

const german = {
  title: 'Wo ist {name}?',
  someone: 'diese Person',
  someoneTitle: 'Ein geteilter Standort',
  reading: 'Der Link wird gelesen …',
  invitation: '{name} lässt dich den eigenen Standort sehen.',
  invitationSomeone: 'Jemand lässt dich den eigenen Standort sehen.',
  linkName: 'Name des Links',
  until: 'Gültig bis',
  from: 'Gültig ab',
  hours: 'Uhrzeiten',
  hoursValue: '{from} bis {to}, nach der Uhr dort',
  uses: 'Anzahl',
  usesValue: '{count} Fragen insgesamt, für alle, die den Link haben',
  usesUnlimited: 'Nicht begrenzt',
  interval: 'Pause',
  intervalValue: '{time} zwischen zwei Fragen',
  precision: 'Genauigkeit',
  precise: 'So genau, wie das Gerät es weiß',
  approximate: 'Ungefähr, auf etwa 5 km',
  asks: 'Zustimmung',
  asksValue: 'Wird jedes Mal erfragt',
  ask: 'Fragen, wo {name} ist',
  askSomeone: 'Nach dem Standort fragen',
  askAgain: 'Noch einmal fragen',
  follow: 'Bis zu {time} live folgen',
  stop: 'Nicht mehr folgen',
  live: 'Live',
  liveHint: 'Neue Positionen erscheinen bis {time}.',
  lost: 'Gerade kommt nichts Neues.',
  lostHint: 'Das Gerät oder deine Verbindung schweigt. Es geht weiter, sobald etwas kommt.',
  followed: 'Das Folgen ist zu Ende.',
  askHint: 'Erst der Knopf stellt die Frage. {name} kann sehen, wann der Link benutzt wurde.',
  askHintSomeone: 'Erst der Knopf stellt die Frage. Die Person kann sehen, wann der Link benutzt wurde.',
  passwordTitle: 'Dieser Link hat ein Passwort',
  passwordHint: 'Wer dir den Link geschickt hat, kennt es.',
  password: 'Passwort',
  open: 'Öffnen',
  checking: 'Das Passwort wird geprüft …',
  wrongPassword: 'Das Passwort ist falsch, oder der Link ist abgelaufen oder wurde widerrufen.',
  retry: 'Noch einmal versuchen',
  nothing: 'Der Link steht nicht mehr in der Adresse.',
  nothingHint: 'Diese Seite speichert nichts und vergisst den Link, wenn sie neu geladen wird. Öffne ihn noch einmal aus der Nachricht, die du bekommen hast.',
  cut: 'Dieser Link ist unvollständig.',
  cutHint: 'Ein Teil ging verloren, vielleicht an einem Zeilenende. Kopiere ihn ganz, oder lass ihn dir noch einmal schicken.',
  gone: 'Dieser Link funktioniert nicht.',
  goneHint: 'Er ist abgelaufen, wurde widerrufen oder unterwegs verändert. Bitte um einen neuen.',
  altered: 'Der Server hat etwas geschickt, das nicht zu diesem Link gehört.',
  alteredHint: 'Es wurde beschädigt oder verändert, deshalb benutzt diese Seite es nicht. Versuche es später, oder sag dem Absender Bescheid.',
  many: 'Aus deinem Netz kamen zu viele Versuche.',
  manyHint: 'Versuche es nach {time} noch einmal.',
  offline: 'Du bist offline.',
  offlineHint: 'Verbinde dich mit dem Internet und versuche es noch einmal.',
  down: 'Der Server ist nicht erreichbar.',
  downHint: 'Vielleicht nur für einen Moment. Versuche es bald noch einmal.',
  slow: 'Der Server ist langsam …',
  old: 'Dieser Browser ist zu alt für diese Seite.',
  oldHint: 'Ihm fehlt die Verschlüsselung, die die Antwort schützt (X25519 und Ed25519). Aktualisiere ihn, oder öffne den Link in einem aktuellen Firefox, Chrome, Edge oder Safari.',
  over: 'Dieser Link ist abgelaufen.',
  overHint: 'Er galt bis {time}. Bitte um einen neuen.',
  early: 'Dieser Link gilt noch nicht.',
  earlyHint: 'Er gilt ab {time}.',
  clock: 'Die Uhr deines Geräts geht um {time} falsch. Diese Seite richtet sich nach der Uhr des Servers.',
  sending: 'Die Frage wird gesendet …',
  accepted: 'Der Server hat die Frage.',
  pushed: 'Das Gerät wird geweckt …',
  woken: 'Das Gerät ist wach.',
  locating: 'Das Gerät bestimmt den Standort …',
  asking: 'Die Person wird um Zustimmung gebeten …',
  answered: 'Die Antwort ist da.',
  unreachable: 'Das Gerät war nicht erreichbar.',
  unreachableHint: 'Es ist vielleicht aus, ohne Verbindung, oder das Teilen ist pausiert. Versuche es später noch einmal.',
  expired: 'Es kam rechtzeitig keine Antwort.',
  expiredHint: 'Versuche es später noch einmal.',
  failed: 'Das Gerät hat nicht geantwortet.',
  failedHint: 'Es hat die Frage bekommen, konnte sie aber nicht beantworten. Versuche es später noch einmal.',
  refused: 'Diesmal gibt es keinen Standort.',
  refusedByServer: 'Die Frage wurde nicht angenommen.',
  refusedByServerHint: 'Der Link ist abgelaufen oder widerrufen, oder das Gerät ist nicht angemeldet. Frag den Absender.',
  tooSoon: 'Das war zu früh.',
  tooSoonHint: 'Die nächste Frage geht nach {time}.',
  unavailable: 'Das Gerät weiß nicht, wo es ist.',
  badAnswer: 'Es kam eine Antwort, aber nicht von dieser Person.',
  badAnswerHint: 'Sie ist nicht für diese Frage unterschrieben, deshalb zeigt diese Seite sie nicht. Vielleicht arbeitet der Server fehlerhaft.',
  accuracy: 'Genauigkeit',
  accuracyValue: 'auf {distance}',
  measured: 'Gemessen',
  measuredValue: '{time} ({age})',
  coordinates: 'Koordinaten',
  altitude: 'Höhe',
  speed: 'Tempo',
  speedValue: '{speed} nach {direction}',
  copy: 'Koordinaten kopieren',
  copied: 'Kopiert.',
  mapApp: 'In der Karten-App öffnen',
  near: '{distance} {direction} von {place}',
  at: 'In {place} oder nahe dabei',
  map: 'Karte: {places}. Der Kreis zeigt die Genauigkeit, {distance}.',
  closer: 'Näher',
  farther: 'Weiter',
  mapSource: 'Karte: Natural Earth. Sie ist Teil dieser Seite; kein Kartendienst erfährt etwas.',
  directions: ['nördlich', 'nordöstlich', 'östlich', 'südöstlich', 'südlich', 'südwestlich', 'westlich', 'nordwestlich'],
  headings: ['Norden', 'Nordosten', 'Osten', 'Südosten', 'Süden', 'Südwesten', 'Westen', 'Nordwesten'],
  how: 'So funktioniert es',
  howText: 'Die Antwort wird auf dem Gerät allein für diese Seite verschlüsselt. Der Server reicht sie weiter und kann sie nicht lesen. Der Schlüssel steht im Link hinter dem #, das Browser nicht senden. Diese Seite speichert nichts.',
  signedBy: 'Link und Antworten sind unterschrieben von',
};

/** The sentences of a device that refuses (Refusal.reason), in German; others are shown as they are. */
const germanReasons = {
  'The grant was revoked; ask for a new one.': 'Der Link wurde widerrufen.',
  'The grant has expired; ask for a new one.': 'Der Link ist abgelaufen.',
  'The grant does not hold at this hour of the sharer\'s day; ask within its hours.': 'Der Link gilt nicht zu dieser Uhrzeit.',
  'The grant was used as often as it allows; ask for a new one.': 'Der Link wurde so oft benutzt, wie er erlaubt.',
  'The sharer was asked and did not say yes; ask again another time.': 'Die Person wurde gefragt und hat nicht zugestimmt.',
  'The grant allows the next answer only later; wait for its interval.': 'Die nächste Antwort gibt es erst nach der Pause.',
};
const englishReasons = {
  'The grant was revoked; ask for a new one.': 'The link was revoked.',
  'The grant has expired; ask for a new one.': 'The link has expired.',
  'The grant does not hold at this hour of the sharer\'s day; ask within its hours.': 'The link is not valid at this hour.',
  'The grant was used as often as it allows; ask for a new one.': 'The link was used as often as it allows.',
  'The sharer was asked and did not say yes; ask again another time.': 'They were asked and did not agree.',
  'The grant allows the next answer only later; wait for its interval.': 'The next answer is possible after the pause.',
};

const usesGerman = (navigator.languages ?? [navigator.language]).find(name => /^(de|en)\b/i.test(name ?? ''))?.toLowerCase().startsWith('de') ?? false;
const words = usesGerman ? german : english;
const reasons = usesGerman ? germanReasons : englishReasons;
const locale = (navigator.languages ?? []).find(name => name.toLowerCase().startsWith(usesGerman ? 'de' : 'en')) ?? (usesGerman ? 'de' : 'en');

/** A sentence with its values. */
function say(key, values = {}) {
  return words[key].replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

const numbers = digits => new Intl.NumberFormat(locale, { maximumFractionDigits: digits });

function distanceText(metres) {
  if (metres < 999.5) return numbers(0).format(Math.max(1, metres)) + ' m';
  return numbers(metres < 9950 ? 1 : 0).format(metres / 1000) + ' km';
}

const secondsText = milliseconds => new Intl.NumberFormat(locale, {
  style: 'unit', unit: 'second', unitDisplay: 'narrow', minimumFractionDigits: 1, maximumFractionDigits: 1,
}).format(milliseconds / 1000);

function timeText(milliseconds, now) {
  const isSoon = Math.abs(milliseconds - now) < 20 * 3600e3;
  const style = isSoon ? { hour: 'numeric', minute: '2-digit' } : { dateStyle: 'medium', timeStyle: 'short' };
  return new Intl.DateTimeFormat(locale, style).format(milliseconds);
}

function clockText(milliseconds) {
  return new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit', second: '2-digit' }).format(milliseconds);
}

function durationText(seconds) {
  const [unit, size] = [['day', 86400], ['hour', 3600], ['minute', 60], ['second', 1]].find(([, size]) => seconds >= size) ?? ['second', 1];
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long', maximumFractionDigits: 0 }).format(Math.round(seconds / size));
}

function ageText(seconds) {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  if (seconds < 90) return format.format(-Math.max(0, Math.round(seconds)), 'second');
  if (seconds < 5400) return format.format(-Math.round(seconds / 60), 'minute');
  if (seconds < 129600) return format.format(-Math.round(seconds / 3600), 'hour');
  return format.format(-Math.round(seconds / 86400), 'day');
}

const directionOf = (list, degrees) => list[Math.round(degrees / 45) % 8];

function nearText({ place, metres, direction }) {
  if (metres < 3000) return say('at', { place: place.name });
  return say('near', {
    distance: distanceText(metres), direction: directionOf(words.directions, direction), place: place.name,
  });
}
