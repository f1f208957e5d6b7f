'use strict';

// The language of a page, and how it writes numbers, times and places.

const mapEnglish = {
  near: '{distance} {direction} of {place}',
  at: 'In {place}, or close to it',
  map: 'Map: {places}. The circle shows the accuracy, {distance}.',
  closer: 'Closer',
  farther: 'Farther',
  mapSource: 'Map: Natural Earth. It is part of this page; no map service learns anything.',
  directions: ['north', 'north-east', 'east', 'south-east', 'south', 'south-west', 'west', 'north-west'],
};

const mapGerman = {
  near: '{distance} {direction} von {place}',
  at: 'In {place} oder nahe dabei',
  map: 'Karte: {places}. Der Kreis zeigt die Genauigkeit, {distance}.',
  closer: 'Näher',
  farther: 'Weiter',
  mapSource: 'Karte: Natural Earth. Sie ist Teil dieser Seite; kein Kartendienst erfährt etwas.',
  directions: ['nördlich', 'nordöstlich', 'östlich', 'südöstlich', 'südlich', 'südwestlich', 'westlich', 'nordwestlich'],
  headings: ['Norden', 'Nordosten', 'Osten', 'Südosten', 'Süden', 'Südwesten', 'Westen', 'Nordwesten'],
};

/** Whether to use German: only if the page has German texts, and the browser prefers German to English. */
const usesGerman = typeof german !== 'undefined' && ((navigator.languages ?? [navigator.language]).find(name => /^(de|en)\b/i.test(name ?? ''))?.toLowerCase().startsWith('de') ?? false);
/** The texts of the map and of the page; the page's script declares `english` and `german`. */
const words = usesGerman ? { ...mapGerman, ...german } : { ...mapEnglish, ...english };
const locale = (navigator.languages ?? []).find(name => name.toLowerCase().startsWith(usesGerman ? 'de' : 'en')) ?? (usesGerman ? 'de' : 'en');

/** The sentence of a key, with its values inserted. */
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

const element = id => document.getElementById(id);

/** Sets the text of an element, and hides the element if the text is empty. */
function put(id, text = '') {
  element(id).textContent = text;
  element(id).hidden = text === '';
}
