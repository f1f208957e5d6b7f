'use strict';

const server = new Server();
/** The state of this page; none of it is stored in the browser. */
const page = { link: null, grant: null, uses: 0, tiles: null, name: '', fix: null, path: [], map: null, world: null };

/** Shows the state of the page; screen readers read it out. */
function status(title, hint = '', kind = 'busy') {
  element('status').dataset.kind = kind;
  put('status-title', title);
  put('status-hint', hint);
}

function describe(list, entries) {
  element(list).replaceChildren(...entries.flatMap(([term, value]) => {
    const [dt, dd] = [document.createElement('dt'), document.createElement('dd')];
    dt.textContent = term;
    dd.textContent = value;
    if (term === words.measured) dd.id = 'measured';
    if (term === words.uses) dd.id = 'uses';
    return [dt, dd];
  }));
}

/** Shows a failure; `again` runs when the person presses the retry button; null: no button. */
function fail(error, again = null) {
  const { kind, values } = error instanceof Trouble ? error : new Trouble('altered');
  const time = values.until ? timeText(values.until, server.now()) : '';
  const hint = words[kind + 'Hint'] ?? '';
  status(say(kind), hint.includes('{time}') && !time ? '' : hint && say(kind + 'Hint', { time }), 'failure');
  element('retry').hidden = again === null;
  element('retry').onclick = () => {
    element('retry').hidden = true;
    again();
  };
}

// The link

async function begin() {
  document.documentElement.lang = usesGerman ? 'de' : 'en';
  element('old').hidden = true;
  element('app').hidden = false;
  for (const labelled of document.querySelectorAll('[data-say]')) labelled.textContent = say(labelled.dataset.say);
  element('title').textContent = say('someoneTitle');
  status(say('reading'));
  addEventListener('hashchange', () => location.reload());

  if (!globalThis.crypto?.subtle || !await isCryptographyThere()) return fail(new Trouble('old'));
  if (!keptFragment) return fail(new Trouble('nothing'));
  const link = linkOf(keptFragment);
  keptFragment = '';
  if (!link) return fail(new Trouble('cut'));
  if (link.hasPassword) askPassword(link); else await read(await derived(link.seed));
}

function askPassword(link) {
  status(say('passwordTitle'), say('passwordHint'), 'question');
  element('password-form').hidden = false;
  element('password').focus();
  element('password-form').onsubmit = async event => {
    event.preventDefault();
    element('retry').hidden = true;
    element('password-button').disabled = true;
    status(say('checking'));
    // Let the browser draw first: in some browsers, PBKDF2 blocks drawing.
    await pause(30);
    const found = await read(await derived(link.seed, element('password').value), 'wrongPassword');
    element('password-button').disabled = false;
    if (found) {
      element('password').value = '';
      element('password-form').hidden = true;
    }
  };
}

/** Fetches the grant of the link and shows its terms, without requesting a position. */
async function read(link, gone = 'gone') {
  const slow = setTimeout(() => status(say('slow')), 4000);
  try {
    const { sealed, uses, tiles } = await server.link(link.address);
    const opened = await openedLink(link, sealed);
    Object.assign(page, { link, uses, tiles, grant: opened.grant, name: opened.sharerName });
    clearTimeout(slow);
    await showLink(opened);
    return true;
  } catch (error) {
    clearTimeout(slow);
    if (error.kind === 'gone') fail(new Trouble(gone)); else fail(error, error instanceof Trouble ? () => read(link, gone) : null);
    return false;
  }
}

async function showLink({ grant, sharerName, linkName }) {
  const named = sharerName === '' ? 'Someone' : '';
  const name = { name: sharerName || say('someone') };
  const title = sharerName === '' ? say('someoneTitle') : say('title', name);
  element('title').textContent = title;
  document.title = title;
  put('about', say('invitation' + named, name));
  const now = server.now();
  const entries = [];
  if (linkName) entries.push([words.linkName, linkName]);
  if (grant.notBefore > now) entries.push([words.from, timeText(grant.notBefore, now)]);
  entries.push([words.until, timeText(grant.notAfter, now)]);
  if (grant.hours) {
    const [from, to] = [grant.hours.from, grant.hours.to].map(
      minutes => new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' }).format(minutes * 60000));
    entries.push([words.hours, say('hoursValue', { from, to })]);
  }
  entries.push([words.uses, usesText()]);
  if (grant.intervalSeconds) entries.push([words.interval, say('intervalValue', { time: durationText(grant.intervalSeconds) })]);
  entries.push([words.precision, grant.isPrecise ? words.precise : words.approximate]);
  if (grant.asksPerson) entries.push([words.asks, words.asksValue]);
  describe('terms', entries);
  put('signer', await identityText(grant.sharer));
  // Smaller differences may be the transit time of the reply.
  if (Math.abs(server.ahead) > 120e3) put('clock', say('clock', { time: durationText(Math.abs(server.ahead) / 1000) }));

  if (grant.notAfter <= now) return fail(new Trouble('over', { until: grant.notAfter }));
  // The server's time is only known to half a second, and a new link is opened at once.
  if (grant.notBefore > now + 1000) return fail(new Trouble('early', { until: grant.notBefore }));
  if (isUsedUp()) return fail(new Trouble('usedUp'));
  status(say('askHint' + named, name), '', 'ready');
  element('ask').textContent = say('ask' + named, name);
  element('ask').hidden = false;
  element('ask').onclick = () => ask();
  if (grant.followMinutes) {
    element('follow').textContent = say('follow', { time: durationText(grant.followMinutes * 60) });
    element('follow').hidden = false;
    element('follow').onclick = () => ask(grant.followMinutes);
  }
}

/** Whether all uses are spent, by the server's count, so that the device would refuse another request. */
function isUsedUp() { return page.grant.uses > 0 && page.uses >= page.grant.uses; }

/** The remaining uses, by the server's count; the device decides by its own count. */
function usesText() {
  const { grant: { uses }, uses: used } = page;
  const format = numbers(0);
  return uses ? say('usesValue', { left: format.format(Math.max(0, uses - used)), count: format.format(uses) }) : words.usesUnlimited;
}

// The question

/** Requests a position; with minutes, starts a live share of that length, too. */
async function ask(followMinutes = 0) {
  const [button, following] = [element('ask'), element('follow')];
  button.disabled = following.disabled = true;
  page.path = [];
  element('steps').replaceChildren();
  const began = performance.now();
  step('sending', began);
  // The map is unpacked while the device works.
  page.world ??= readWorld(element('world').textContent);
  try {
    const request = await makeRequest(page.link.identity, page.grant, Math.floor(server.now()), followMinutes);
    await server.post(request);
    for await (const state of server.states(request)) await show(state, request, began);
    if (followMinutes && page.path.length) await follow(request);
  } catch (error) {
    fail(error instanceof Trouble ? error : new Trouble('badAnswer'));
  }
  element('retry').hidden = true;
  button.textContent = say('askAgain');
  button.disabled = following.disabled = page.grant.notAfter <= server.now();
  if (isUsedUp()) button.hidden = following.hidden = true;
}

/** Shows each update until the live share ends, or the person presses the button. */
async function follow(request) {
  const button = element('follow');
  const title = button.textContent;
  const stop = new AbortController();
  button.textContent = say('stop');
  button.disabled = false;
  button.onclick = () => stop.abort();
  // Set the status once, so that a screen reader reads out that updates are live, and not each position.
  const isLive = () => {
    if (element('status').dataset.kind !== 'live') status(say('live'), say('liveHint', { time: timeText(request.followsUntil, server.now()) }), 'live');
  };
  isLive();
  const timer = setTimeout(() => stop.abort(), request.followsUntil - server.now());
  let last = { run: 0, number: -1 };
  let lost = 0;
  try {
    for await (const event of server.updates(request, stop.signal)) {
      clearTimeout(lost);
      if (event.ended) break;
      if (event.kind === 'slow') {
        status(say('lost'), say('lostHint'), 'failure');
        continue;
      }
      const update = await openedUpdate(request, fromBase64URL(event.update ?? ''));
      // Ignore an update that a server repeats or delivers out of order.
      if (update.run < last.run || (update.run === last.run && update.number <= last.number)) continue;
      last = update;
      isLive();
      if (update.fix) await showFix(update.fix); else put('status-hint', update.reason);
      lost = setTimeout(() => status(say('lost'), say('lostHint'), 'failure'), update.silence * 1000);
    }
    if (stop.signal.aborted) await server.end(request).catch(() => {});
    status(say('followed'), '', 'success');
  } finally {
    clearTimeout(timer);
    clearTimeout(lost);
    button.textContent = title;
    button.onclick = () => ask(page.grant.followMinutes);
  }
}

/** Shows a state as the status, and adds it to the list of earlier states. */
function step(kind, began) {
  status(say(kind));
  if (kind === 'slow') return;
  const item = document.createElement('li');
  const time = document.createElement('span');
  item.textContent = say(kind);
  time.textContent = secondsText(performance.now() - began);
  item.append(' ', time);
  element('steps').append(item);
}

async function show(state, request, began) {
  switch (state.kind) {
    case 'slow': case 'accepted': case 'pushed': case 'woken': case 'locating': case 'asking':
      return step(state.kind, began);
    case 'answered': {
      const answer = await openedAnswer(request, fromBase64URL(state.answer ?? ''));
      step('answered', began);
      page.uses += 1;
      element('uses').textContent = usesText();
      if (answer.fix) return status(say('answered'), await showFix(answer.fix), 'success');
      if (answer.unavailable !== undefined) return status(say('unavailable'), answer.unavailable, 'failure');
      return status(say('refused'), (usesGerman ? germanReasons : englishReasons)[answer.refusal] ?? '', 'failure');
    }
    case 'unreachable': case 'expired': case 'failed': case 'tooSoon':
      return fail(new Trouble(state.kind));
    default:
      throw new BadBytes('a state of an unknown kind');
  }
}

// The place

/** Shows a position, and returns a description of it. */
async function showFix(fix) {
  page.fix = fix;
  page.path.push(fix);
  const world = await page.world;
  const nearest = nearestPlaces(world, fix, 6);
  const distance = distanceText(fix.accuracy);
  const near = nearest.slice(0, 3).map(nearText);
  const coordinates = `${fix.latitude.toFixed(5)}, ${fix.longitude.toFixed(5)}`;
  // Show the answer where the terms were, and the terms below.
  element('about').after(element('answer'));
  element('steps').after(element('terms'));
  element('answer').hidden = false;
  element('place-title').textContent = near[0];
  put('near', near.slice(1).join(' · '));
  const entries = [
    [words.accuracy, say('accuracyValue', { distance })],
    [words.measured, ''],
    [words.coordinates, coordinates],
  ];
  if (fix.altitude !== undefined) entries.push([words.altitude, numbers(0).format(fix.altitude) + ' m']);
  if (fix.speed > 0.5 && fix.course !== undefined) {
    const speed = numbers(0).format(fix.speed * 3.6) + ' km/h';
    entries.push([words.speed, say('speedValue', { speed, direction: directionOf(words.headings ?? words.directions, fix.course) })]);
  }
  describe('facts', entries);
  showAge();
  element('map-app').href = `geo:${coordinates.replace(' ', '')}?q=${coordinates.replace(' ', '')}`;
  element('map').setAttribute('aria-label', say('map', { places: near.join('; '), distance }));
  page.map ??= shownMap(world);
  page.map.show(fix, nearest, page.path);
  element('copy').onclick = async () => {
    await navigator.clipboard.writeText(coordinates);
    element('copy').textContent = say('copied');
    await pause(2000);
    element('copy').textContent = say('copy');
  };
  return `${near[0]}. ${words.accuracy}: ${say('accuracyValue', { distance })}.`;
}

/** The map; it loads street maps only after the person pressed a button that says what their server learns. */
function shownMap(world) {
  const map = new WorldMap(element('map'), world, distanceText);
  if (page.tiles) {
    const { host } = new URL(page.tiles);
    element('tiles').hidden = false;
    put('tiles-question', say('tilesQuestion', { host }));
    element('tiles-load').onclick = () => {
      element('tiles').hidden = true;
      put('map-source', say('tilesSource', { host }));
      map.load(page.tiles);
    };
  }
  return map;
}

function showAge() {
  const { fix } = page;
  if (!fix) return;
  // The fix has the time of the device's clock, which may be a little ahead.
  const age = ageText((server.now() - fix.time) / 1000);
  const isToday = Math.abs(server.now() - fix.time) < 20 * 3600e3;
  element('measured').textContent = say(
    'measuredValue', { time: isToday ? clockText(fix.time) : timeText(fix.time, server.now()), age });
}

setInterval(showAge, 5000);
element('closer').onclick = () => page.map?.zoom(2);
element('farther').onclick = () => page.map?.zoom(0.5);
element('map').addEventListener('keydown', event => {
  const factor = { '+': 2, '=': 2, '-': 0.5 }[event.key];
  if (factor) page.map?.zoom(factor);
});
begin();
