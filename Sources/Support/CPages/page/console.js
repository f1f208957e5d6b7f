'use strict';

// Shared code of the consoles of locationctl and whereabouts: elements, events, orders.

/** Untrusted text without characters that are invisible (joiners of emoji and Persian stay) or change its direction. */
const plain = text => String(text).replace(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');

/** Creates an element with properties; strings among the children are inserted as text, not as HTML. */
function make(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter(child => child !== null).map(child => child instanceof Node ? child : plain(child)));
  return made;
}

/** A list of terms and descriptions; empty descriptions are left out. */
function facts(entries) {
  return make('dl', {}, ...entries.filter(([, value]) => value !== '' && value !== undefined).flatMap(
    ([term, value]) => [make('dt', {}, term), make('dd', {}, value)]));
}

/** A table that can be scrolled, without its empty columns; if it has no rows, the sentence `empty` instead. */
function table(caption, head, rows, empty) {
  if (rows.length === 0) return make('p', { className: 'empty' }, empty);
  const isUsed = head.map((_, column) => rows.some(row => row[column] !== ''));
  const cells = (name, row) => row.filter((_, column) => isUsed[column]).map(cell => cell instanceof Node ? cell : make(name, name === 'th' ? { scope: 'col' } : {}, cell));
  return make('div', { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel: caption }, make('table', {},
    make('caption', { className: 'spoken' }, caption), make('thead', {}, make('tr', {}, ...cells('th', head))),
    make('tbody', {}, ...rows.map(row => make('tr', {}, ...cells('td', row))))));
}

/** Shows the state; a screen reader reads it out once. */
function status(title, hint = '', kind = 'busy') {
  if (element('status').dataset.kind === kind && element('status-title').textContent === title) return;
  element('status').dataset.kind = kind;
  put('status-title', title);
  put('status-hint', hint);
}

/** Sends an order, and shows its result in an element. */
async function order(action, body, done = words.done, note = element('toast')) {
  const show = (text, name) => Object.assign(note, { textContent: plain(text), className: name, hidden: text === '' });
  try {
    const response = await fetch(action, {
      method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' }, cache: 'no-store', redirect: 'error',
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    const reply = JSON.parse(text);
    show(reply.done?.message ?? done, '');
    return reply;
  } catch (error) {
    show(error instanceof TypeError ? words.ended : error.message, 'bad');
    return null;
  }
}

/** A button that gives an order, disabled until the outcome is known. */
function button(title, press, properties = {}) {
  const made = make('button', { type: 'button', ...properties }, title);
  made.addEventListener('click', async () => {
    made.disabled = true;
    await press();
    made.disabled = false;
  });
  return made;
}

/** A labelled field of a form: a list of values with their titles, or the properties of an input. */
function field(title, name, kind) {
  const isList = Array.isArray(kind);
  const input = isList
    ? make('select', { name }, ...kind.map(([value, text]) => make('option', { value }, text)))
    : make('input', { name, autocomplete: 'off', ...kind });
  return kind.type === 'checkbox'
    ? make('label', { className: 'switch' }, input, title)
    : make('label', { className: 'field' }, make('span', {}, title), input);
}

/** A form that passes its filled fields to `send`, with an element for the outcome. */
function form(title, fields, send) {
  const press = make('button', { className: 'main' }, title);
  const note = make('p', { hidden: true });
  note.setAttribute('role', 'status');
  const made = make('form', { className: 'fields' }, ...fields, press, note);
  made.addEventListener('submit', async event => {
    event.preventDefault();
    press.disabled = true;
    await send(Object.fromEntries([...new FormData(made)].filter(([, value]) => value !== '')), note);
    press.disabled = false;
  });
  return made;
}

/** Receives events of the program, and connects again after a failure; `path` is evaluated for each connection. */
class Events {
  constructor(path, handlers) {
    Object.assign(this, { path, handlers });
    document.addEventListener('visibilitychange', () => this.open());
    this.open();
  }

  open() {
    this.source?.close();
    this.source = new EventSource(this.path());
    for (const [name, handler] of Object.entries(this.handlers)) {
      this.source.addEventListener(name, event => handler(event.data && JSON.parse(event.data)));
    }
    // The browser connects again by itself, unless the program refused the connection.
    this.source.onerror = () => status(words.ended, words.endedHint, 'failure');
  }
}

/** The text of a time in microseconds since 1970. */
const momentText = microseconds => {
  const time = Number(microseconds) / 1000;
  return Math.abs(Date.now() - time) < 20 * 3600e3 ? clockText(time) : timeText(time, Date.now());
};

/** Lets the buttons and keys zoom a map. */
function zoomable(map) {
  element('closer').onclick = () => map()?.zoom(2);
  element('farther').onclick = () => map()?.zoom(0.5);
  element('map').addEventListener('keydown', event => {
    const factor = { '+': 2, '=': 2, '-': 0.5 }[event.key];
    if (factor) map()?.zoom(factor);
  });
}

function sayAll() {
  document.documentElement.lang = usesGerman ? 'de' : 'en';
  for (const labelled of document.querySelectorAll('[data-say]')) labelled.textContent = say(labelled.dataset.say);
}
