'use strict';

/** The incidents as `dispatch --json` prints them, the newest first, and the shown one. */
const dispatch = { all: [], chosen: null, shown: null, map: null };
const world = readWorld(element('world').textContent);
const stateOf = ({ state, end }) => state !== 'ended' ? words[state] ?? state
  : ['byVolunteer', 'undelivered', 'enough'].includes(end) ? words[end] : words.stoodDown;
const endText = end => words[end === 'stoodDown' ? 'incidentStoodDown' : end] ?? end;

/** The newest line of the incident, and of each alert, from all lines. */
function readLines(states) {
  const alerts = new Map();
  // A person who is not needed any more keeps no position.
  const before = line => line.state === 'ended' ? {} : alerts.get(line.alert);
  for (const line of states) if (line.alert) alerts.set(line.alert, { ...before(line), ...line });
  return {
    place: states.find(line => line.state === 'open'),
    newest: states.findLast(line => !line.alert),
    alerts: [...alerts.values()],
  };
}

function showAll(all) {
  const isSame = all.map(({ request }) => request.who).join() === dispatch.all.map(({ request }) => request.who).join();
  dispatch.all = all;
  element('which-field').hidden = all.length < 2;
  // An unchanged list stays, with the keyboard focus.
  if (!isSame) element('which').replaceChildren(...all.map(({ request }) => make('option', { value: request.who }, request.who.slice(0, 8))));
  show();
}

function show() {
  const { all } = dispatch;
  const chosen = all.find(({ request }) => request.who === dispatch.chosen) ?? all[0];
  element('map-frame').hidden = element('map-source').hidden = element('orders').hidden = !chosen;
  if (!chosen) {
    put('state', words.none);
    element('alerts').replaceChildren(make('p', { className: 'empty' }, words.noAlerts));
    return;
  }
  element('which').value = chosen.request.who;
  const { place, newest, alerts } = readLines(chosen.states);
  put('state', plain(stateText(chosen.request, newest)));
  const isOver = newest?.state === 'ended' || newest?.state === 'failed';
  element('orders').hidden = isOver;
  if (chosen.request.who !== dispatch.shown) showOrders(chosen.request.who);
  const rows = alerts.map(line => [
    line.alert.slice(0, 8), line.task === 'patient' ? words.toPatient : words.toDefibrillator, stateOf(line),
    line.minutes ? say('atMost', { minutes: line.minutes }) : line.state === 'band' ? words.longer : '',
    place && line.latitude !== undefined ? distanceText(distance(place, line)) : '',
    make('td', { className: 'time' }, clockText(Date.parse(line.time))),
  ]);
  element('alerts').replaceChildren(table(words.alerts, words.alertsHead, rows, words.noAlerts));
  if (place) showMap(chosen.request.who, place, isOver ? [] : alerts.filter(line => line.latitude !== undefined));
}

function stateText({ isRunning, failure }, newest) {
  if (newest?.state === 'ended') return say('endedState', { end: endText(newest.end) });
  if (newest?.state === 'failed') return say('failedState', { end: newest.end });
  if (!isRunning) return `${words.stoppedFollowing}. ${failure}`;
  return words[newest?.state] ?? words.connecting;
}

async function showMap(who, place, comers) {
  const all = await world;
  const nearest = nearestPlaces(all, place, 6);
  const coordinates = `${place.latitude.toFixed(5)}, ${place.longitude.toFixed(5)}`;
  put('place', plain(say('patient', { place: nearText(nearest[0]), coordinates })));
  dispatch.map ??= new WorldMap(element('map'), all, distanceText);
  const label = line => line.alert.slice(0, 8) + (line.minutes ? ` ${say('atMost', line)}` : '');
  const marks = comers.map(line => ({ ...line, label: label(line) }));
  const names = comers.map((line, index) => `${marks[index].label}, ${distanceText(distance(place, line))}`).join('; ');
  element('map').setAttribute('aria-label', say('incidentMap', { marks: names || words.nobodyComes }));
  dispatch.map.marks = marks;
  element('map').dataset.marks = marks.length;
  if (dispatch.mapOf === who) return dispatch.map.draw();
  dispatch.mapOf = who;
  dispatch.map.show({ ...place, accuracy: 0 }, nearest);
  // Volunteers come from a few kilometres. Later the person chooses the scale.
  dispatch.map.zoom(dispatch.map.radius / 2500);
}

/** The buttons of an incident: the second press within ten seconds gives the order. */
function showOrders(who) {
  dispatch.shown = who;
  put('check');
  let armed = null;
  element('orders').replaceChildren(...['end', 'cancel'].map(verb => button(words[verb], async () => {
    if (armed?.verb === verb && Date.now() - armed.time < 10_000) {
      armed = null;
      put('check');
      await order('order', { verb, who });
    } else {
      armed = { verb, time: Date.now() };
      put('check', `${words[verb]}. ${words.sure}`);
    }
  })));
}

sayAll();
status(words.connecting);
zoomable(() => dispatch.map);
element('which').addEventListener('change', () => {
  dispatch.chosen = element('which').value;
  show();
});
new Events(() => 'events', {
  incidents: all => {
    status(words.live, '', 'ready');
    showAll(all);
  },
});
