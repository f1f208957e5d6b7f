'use strict';

/** The newest state of each part, as the JSON that locationctl prints. */
const device = { status: {}, settings: {}, pushes: {}, power: {}, log: {}, prompt: null, fix: null, path: [], map: null, promptMap: null };
/** The most positions in the path. */
const pathMax = 1000;
/** The usual error of an approximate position, in metres. */
const approximateMetres = 5000;
const world = readWorld(element('world').textContent);
const nameOf = bundle => device.settings.apps?.find(app => app.bundle === bundle)?.name || bundle;

// Position

function fixOf(wire) {
  return {
    latitude: (wire.latitude ?? 0) / 1e7, longitude: (wire.longitude ?? 0) / 1e7, accuracy: (wire.horizontalAccuracy ?? 0) / 1000,
    altitude: wire.altitude / 1000, speed: wire.speed / 1000, course: wire.course / 100, time: wire.time / 1000, simulated: wire.simulated,
  };
}

async function showFix(wire) {
  const { places, coasts, borders } = await world;
  if (!element('show-position').checked) return;
  const fix = fixOf(wire);
  device.fix = fix;
  device.path = [...device.path, fix].slice(-pathMax);
  const nearest = nearestPlaces({ places }, fix, 6);
  const near = nearest.slice(0, 3).map(nearText);
  put('place', near.join(' · '));
  element('map-frame').hidden = false;
  element('map').setAttribute('aria-label', say('map', { places: near.join('; '), distance: distanceText(fix.accuracy) }));
  device.map ??= new WorldMap(element('map'), { places, coasts, borders }, distanceText);
  device.map.show(fix, nearest, device.path);
  showFacts();
  if (device.prompt && element('prompt-map').hidden) showMeaning();
}

function showFacts() {
  const { fix } = device;
  if (!fix) return;
  const moves = fix.speed > 0.5 && !Number.isNaN(fix.course);
  element('fix').replaceChildren(facts([
    [words.accuracy, say('accuracyValue', { distance: distanceText(fix.accuracy) })],
    [words.measured, `${clockText(fix.time)} (${ageText((Date.now() - fix.time) / 1000)})`],
    [words.coordinates, `${fix.latitude.toFixed(5)}, ${fix.longitude.toFixed(5)}`],
    [words.altitude, Number.isNaN(fix.altitude) ? '' : numbers(0).format(fix.altitude) + ' m'],
    [words.speed, moves ? `${numbers(0).format(fix.speed * 3.6)} km/h, ${directionOf(words.directions, fix.course)}` : ''],
  ]), make('p', { className: 'small', hidden: !fix.simulated }, words.simulated));
}

function hidePosition() {
  const isShown = element('show-position').checked;
  Object.assign(device, { fix: null, path: [] });
  element('map-frame').hidden = true;
  element('fix').replaceChildren();
  put('place', isShown ? words.noPosition : words.positionHidden);
}

// Prompts

const questions = { ALWAYS: 'askAlways', CONFIRM_ALWAYS: 'askConfirm', FULL_ACCURACY: 'askFull' };

function showPrompt(prompt) {
  device.prompt = prompt;
  element('prompt').hidden = prompt === null;
  if (prompt === null) return;
  element('prompt-title').textContent = plain(say(questions[prompt.question] ?? 'askWhenInUse', { name: prompt.appName ?? prompt.bundle }));
  put('prompt-purpose', plain(prompt.purpose ?? ''));
  element('prompt-precise').checked = true;
  element('prompt-precision').hidden = !prompt.offersPrecise && prompt.question !== 'FULL_ACCURACY';
  element('prompt-precise').parentElement.hidden = !prompt.offersPrecise;
  element('prompt-choices').replaceChildren(...(prompt.choices ?? []).map(choice => button(words[choice] ?? choice, () => order('agent', {
    answer: { prompt: prompt.id, choice, approximate: Boolean(prompt.offersPrecise) && !element('prompt-precise').checked },
  }, words.answered))));
  showMeaning();
}

/** Shows on a map how precisely the app would know the position. */
async function showMeaning() {
  const all = await world;
  const { fix } = device;
  const isPrecise = element('prompt-precise').checked;
  element('prompt-map').hidden = !fix;
  if (!fix) return put('prompt-meaning', words.meansUnknown);
  const shown = { ...fix, accuracy: isPrecise ? fix.accuracy : approximateMetres };
  const meaning = say(isPrecise ? 'meansPrecise' : 'meansApproximate', { distance: distanceText(shown.accuracy) });
  put('prompt-meaning', meaning);
  element('prompt-map').setAttribute('aria-label', meaning);
  device.promptMap ??= new WorldMap(element('prompt-map'), all, distanceText);
  device.promptMap.show(shown, nearestPlaces(all, fix, 6));
  // Use the same scale for precise and approximate, so that they can be compared.
  device.promptMap.zoom(device.promptMap.radius / (3 * approximateMetres));
}

// Indicators

function showIndicators({ indicators = [], leftOut }) {
  const items = indicators.map(({ bundle, appName, title, sharingStopped }) => {
    const key = sharingStopped ? 'indicatorStopped' : 'indicatorUses';
    const text = title ? `${appName}: ${title}` : say(key, { name: appName ?? bundle });
    return make('div', { className: 'item row' }, make('span', {}, text), title
      ? button(words.dismiss, () => order('agent', { dismissActivity: { bundle, title } }), { ariaLabel: `${words.dismiss}: ${plain(title)}` })
      : null);
  });
  if (leftOut) items.push(make('p', { className: 'small' }, say('indicatorsLeftOut', { count: leftOut })));
  element('indicators').replaceChildren(...items, ...(items.length ? [] : [make('p', { className: 'empty' }, words.noIndicators)]));
}

// Apps

/** The elements of each installed app; they are reused, so that the keyboard focus stays. */
const apps = new Map();

function appElements(bundle) {
  const select = make('select', {}, ...['NEVER', 'ASK_NEXT_TIME', 'WHILE_USING', 'ALWAYS'].map(
    value => make('option', { value }, words[value])));
  select.addEventListener('change', () => change({ bundle, location: select.value }));
  const precise = make('input', { type: 'checkbox' });
  precise.addEventListener('change', () => change({ bundle, precise: precise.checked }));
  const actions = {
    open: () => order('control', { run: { bundle } }),
    hide: () => order('control', { phase: { bundle, phase: 'BACKGROUND' } }),
    end: () => order('control', { terminate: { bundle } }),
    testPush: () => order('control', { push: { bundle, payload: btoa('{}'), priority: 10 } }),
  };
  const buttons = Object.entries(actions).map(([key, press]) => [key, button(words[key], press)]);
  const [title, note, details] = [make('h3'), make('p', { className: 'small' }), make('div')];
  const root = make('article', { className: 'item' }, title, make('code', { className: 'small' }, bundle),
    make('div', { className: 'row' }, make('label', { className: 'choice' }, words.location, select),
      make('label', { className: 'switch' }, precise, words.precise)),
    note, details, make('div', { className: 'row' }, ...buttons.map(([, made]) => made)));
  return { root, title, note, details, select, precise, buttons };
}

/** Changes settings; the page then shows the settings in force. */
async function change(settings) {
  const reply = await order('control', { settings });
  device.settings = reply?.settings ?? device.settings;
  for (const app of device.settings.apps ?? []) {
    if (apps.has(app.bundle)) apps.get(app.bundle).select.value = app.location ?? 'NEVER';
  }
  showApps();
}

function showApps() {
  const installed = device.status.apps ?? [];
  for (const [bundle, { root }] of apps) {
    if (installed.some(app => app.bundle === bundle)) continue;
    root.remove();
    apps.delete(bundle);
  }
  for (const app of installed) {
    if (!apps.has(app.bundle)) {
      apps.set(app.bundle, appElements(app.bundle));
      element('apps').append(apps.get(app.bundle).root);
    }
    showApp(app, device.settings.apps?.find(settings => settings.bundle === app.bundle) ?? {}, apps.get(app.bundle));
  }
  const broken = (device.status.broken ?? []).map(({ bundle, reason }) =>
    make('div', { className: 'item broken' }, make('h3', {}, bundle), make('p', { className: 'bad' }, say('broken', { reason }))));
  document.querySelectorAll('#apps .broken, #apps .empty').forEach(old => old.remove());
  element('apps').append(...broken, ...(installed.length + broken.length ? [] : [make('p', { className: 'empty' }, words.noApps)]));
  element('services').checked = device.settings.locationServices ?? false;
  element('services').disabled = Boolean(device.settings.locationServicesManaged);
  element('services-note').hidden = !device.settings.locationServicesManaged;
}

function showApp(app, settings, shown) {
  const label = app.name || app.bundle;
  shown.title.textContent = plain(label);
  if (document.activeElement !== shown.select) shown.select.value = settings.location ?? 'NEVER';
  shown.precise.checked = settings.precise ?? false;
  shown.select.disabled = shown.precise.disabled = Boolean(settings.restriction);
  shown.select.ariaLabel = plain(say('locationOf', { name: label }));
  shown.precise.ariaLabel = plain(say('preciseOf', { name: label }));
  const isRunning = app.process !== 'not running';
  const offered = { open: true, hide: isRunning, end: isRunning, testPush: Boolean(app.monitorsPushes) };
  for (const [key, made] of shown.buttons) {
    made.ariaLabel = plain(say('actionOf', { action: words[key], name: label }));
    made.hidden = !offered[key];
  }
  shown.note.textContent = ['allowedOnce', 'preciseForNow', 'provisionalAlways'].filter(key => settings[key]).map(key => words[key])
    .concat(settings.restriction ? [words[settings.restriction]] : []).join(' ');
  const log = device.log.lines ?? [];
  const given = log.findLast(line => line.bundle === app.bundle && line.event === 'location-served');
  const conditions = (app.conditions ?? []).map(({ monitor, identifier, state, reasons }) =>
    `${monitor ? monitor + '/' : ''}${identifier}: ${words[state ?? 'UNKNOWN']}${reasons ? ` (${reasons.join(', ')})` : ''}`);
  shown.details.replaceChildren(facts([
    [words.process, (words[app.process] ?? app.process) + (app.pid ? ` (${app.pid})` : '') + (app.extensionRunning ? `, ${words.extension}` : '')],
    [words.given, given ? `${momentText(given.time)}. ${given.text}` : say('givenNever', { count: log.length })],
    [words.sessions, counted(app.sessions ?? [])],
    [words.streams, app.streams ? String(app.streams) : ''],
    [words.activities, (app.activities ?? []).join(', ')],
    [words.conditions, conditions.join('; ')],
    [words.pushesOf, app.monitorsPushes ? words.monitored : words.notMonitored],
  ]));
}

/** Counts equal values: always, when in use (3). */
function counted(all) {
  return [...new Set(all)].map(one => {
    const count = all.filter(other => other === one).length;
    const word = words[one] ?? one;
    return count > 1 ? `${word} (${count})` : word;
  }).join(', ');
}

// Receivers and battery

function showReceivers() {
  const { status } = device;
  const receiver = status.receiver ?? {};
  const refused = Object.entries(receiver.refused ?? {}).map(([kind, count]) => say(kind, { count }));
  const ahead = Math.round(Number(receiver.clockOffset ?? 0) / -1e5) / 10;
  const age = receiver.lastFixAge >= 2 ? `, ${ageText(receiver.lastFixAge)}` : '';
  const satellites = receiver.satellitesSeen === undefined ? receiver.satellitesUsed
    : say('satellitesValue', { used: receiver.satellitesUsed ?? 0, seen: receiver.satellitesSeen });
  const { nmeaSocket: nmea, beaconFeed: beacons } = status;
  element('receiver').replaceChildren(facts([
    [words.source, `${status.source ?? ''}: ${status.sourceState ?? ''}${age}`],
    [words.receiver, [receiver.driver, receiver.device].filter(Boolean).join(', ')],
    [words.satellites, satellites],
    [words.precisionDilution, receiver.hdop && numbers(1).format(receiver.hdop)],
    [words.rate, receiver.rate && numbers(1).format(receiver.rate) + ' Hz'],
    [words.faults, receiver.faults ? `${receiver.faults}: ${receiver.fault}` : ''],
    [words.dropped, refused.join(', ')],
    [words.clock, ahead ? say('clockValue', { seconds: ahead }) : ''],
    ...(status.otherSources ?? []).map(({ source, sourceState }) => [words.also, `${source}: ${sourceState}`]),
    [words.beacons, beacons && `${beacons.path}: ${beacons.state}`],
    [words.nmea, nmea && say('nmeaValue', { path: nmea.path, count: nmea.readers?.length ?? 0, most: nmea.readersMax })],
    [words.gateway, [status.gateway, status.gatewayState].filter(Boolean).join(': ')],
    [words.fault, [status.stateFault, status.logFault, nmea?.fault, status.polkit?.cause].filter(Boolean).join('; ')],
  ]));
}

function showPower({ sources = [] }) {
  const joules = millijoules => millijoules === undefined ? words.unknown : numbers(1).format(millijoules / 1000) + ' J';
  element('power').replaceChildren(table(words.power, words.powerHead, sources.map(source => {
    const seconds = ((source.acquiring ?? 0) + (source.tracking ?? 0)) / 1e6;
    const share = source.whole ? seconds / (source.whole / 1e6) * 100 : 0;
    return [
      source.source, source.on ? words.on : words.off,
      say('powerValue', { seconds: numbers(0).format(seconds), share: numbers(1).format(share) }),
      joules(source.millijoules), joules(source.millijoulesAlwaysOn),
    ];
  }), words.noSources));
}

// Pushes and log

function showPushes() {
  const { apps: counts = [], total = {}, recent = [], budgetRemaining = 0, budgetCapacity = 0 } = device.pushes;
  const row = (title, all) => [
    title, ...['received', 'handed', 'completed', 'abandoned', 'replaced'].map(key => String(all[key] ?? 0)),
    (all.refused ?? []).map(({ reason, count }) => `${count} ${reason}`).join(', ') || '0',
  ];
  const rows = counts.map(all => row(nameOf(all.bundle), all));
  const lines = recent.toReversed().map(
    ({ time, bundle, outcome, reason }) => [make('td', { className: 'time' }, momentText(time)), nameOf(bundle), outcome, reason ?? '']);
  element('pushes').replaceChildren(
    make('p', {}, say('budget', { remaining: budgetRemaining, capacity: budgetCapacity })),
    table(words.pushes, words.pushesHead, rows.length ? [...rows, row(words.pushesAll, total)] : [], words.noPushes),
    ...(lines.length ? [table(words.recent, words.recentHead, lines, '')] : []));
}

function showLog() {
  const lines = (device.log.lines ?? []).slice(-60).toReversed().map(
    ({ time, bundle, text }) => [make('td', { className: 'time' }, momentText(time)), bundle ? nameOf(bundle) : words.device, text]);
  element('log').replaceChildren(table(words.log, words.logHead, lines, words.noLog));
}

// Events

const parts = { status: [showApps, showReceivers], settings: [showApps], pushes: [showPushes], log: [showLog, showApps] };

function agentEvent(event) {
  if (event.prompt) showPrompt(event.prompt);
  if (event.withdrawal && device.prompt?.id === event.withdrawal.prompt) showPrompt(null);
  if (event.indicators) showIndicators(event.indicators);
  if (event.refusal) put('toast', plain(event.refusal.message));
}

const isLive = handler => value => {
  status(words.live, '', 'ready');
  handler(value);
};

sayAll();
status(words.connecting);
hidePosition();
showIndicators({});
zoomable(() => device.map);
/** Requests positions only while the page is visible, so that a hidden page keeps no receiver on. */
const events = new Events(() => element('show-position').checked && !document.hidden ? 'events?position' : 'events', {
  // locationd sends the open prompt again.
  open: () => showPrompt(null),
  ...Object.fromEntries(Object.entries(parts).map(([part, shows]) => [part, isLive(value => {
    device[part] = value;
    for (const show of shows) show();
  })])),
  power: isLive(showPower),
  agent: isLive(agentEvent),
  fix: isLive(showFix),
  away: ({ error }) => {
    status(words.away, plain(error), 'failure');
    showPrompt(null);
  },
});
element('show-position').addEventListener('change', () => {
  hidePosition();
  events.open();
});
element('services').addEventListener('change', () => change({ locationServices: element('services').checked }));
element('prompt-precise').addEventListener('change', showMeaning);
setInterval(showFacts, 5000);
