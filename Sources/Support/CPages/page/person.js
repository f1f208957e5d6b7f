'use strict';

/** The newest rows of each list, and the map. */
const person = { requests: [], map: null, shown: null };
const world = readWorld(element('world').textContent);
const nameOf = row => row.name ?? row.safetyNumber;
const dateText = text => timeText(Date.parse(text), Date.now());
const does = verb => (fields, done) => order('order', { verb, ...fields }, done);
const labelled = (action, name) => ({ ariaLabel: plain(say('actionOf', { action, name })) });

/** Shows a list: its failure if there is one, then its rows, or a sentence if it is empty. */
function showList(id, { rows, trouble }, shown, empty) {
  const items = shown(rows);
  element(id).replaceChildren(...(trouble ? [make('p', { className: 'bad' }, trouble)] : []), ...items,
    ...(rows.length || trouble ? [] : [make('p', { className: 'empty' }, empty)]));
}

// Questions

function showQuestions(list) {
  const wasHidden = element('questions-card').hidden;
  element('questions-card').hidden = list.rows.length === 0;
  showList('questions', list, rows => rows.map(row => make('div', { className: 'item' },
    make('p', {}, say(row.followMinutes ? 'questionFollow' : 'question', { name: nameOf(row), minutes: row.followMinutes })),
    make('p', { className: 'small' }, say('questionUntil', { number: row.safetyNumber, time: clockText(Date.parse(row.until)) })),
    make('div', { className: 'row' }, ...['yes', 'no'].map(answer =>
      button(words[answer], () => does(answer)({ who: row.request }), labelled(words[answer], nameOf(row))))))), '');
  // Show a dot in the tab's title, because the person has only 20 seconds to answer.
  if (wasHidden && list.rows.length) document.title = `● ${words.questions}`;
  if (!list.rows.length) document.title = words.title;
}

// Requests

function showRequests(requests) {
  element('requests').replaceChildren(...requests.map(({ request, states }) => {
    const last = states.at(-1);
    const title = say(request.kind === 'follow' ? 'followed' : 'asked', { name: request.who });
    // Leave out positions of a live share, because the map already shows them.
    const lines = states.filter(state => state.state || state.reason || state === last).slice(-8);
    return make('div', { className: 'item' }, make('h3', {}, title),
      make('ol', { className: 'steps' }, ...lines.map(state => make('li', {}, make('span', {}, stateText(state)),
        make('span', { className: 'quiet' }, state.elapsedMs === undefined ? '' : secondsText(state.elapsedMs))))),
      request.failure ? make('p', { className: 'bad' }, request.failure) : null,
      request.isRunning ? button(request.kind === 'follow' ? words.stop : words.withdraw,
        () => does('stop')({ who: String(request.number) }), labelled(words.stop, request.who)) : null);
  }), ...(requests.length ? [] : [make('p', { className: 'empty' }, words.noRequests)]));
  const located = requests.find(({ states }) => states.some(state => state.position));
  if (located) showPlace(located);
}

function stateText({ state, event, reason, position }) {
  const what = [state ?? event, reason].filter(Boolean).join(': ');
  if (!position) return what;
  return `${what} ${position.latitude.toFixed(5)}, ${position.longitude.toFixed(5)} ${say('accuracyValue', { distance: distanceText(position.accuracy) })}`;
}

async function showPlace({ request, states }) {
  const all = await world;
  const path = states.flatMap(({ position }) => position ? [position] : []);
  const fix = path.at(-1);
  const nearest = nearestPlaces(all, fix, 6);
  const near = nearest.slice(0, 3).map(nearText);
  put('place', plain(say('place', { name: request.who, places: near.join(' · ') })));
  element('map-frame').hidden = element('map-source').hidden = false;
  element('map').setAttribute('aria-label', say('map', { places: near.join('; '), distance: distanceText(fix.accuracy) }));
  person.map ??= new WorldMap(element('map'), all, distanceText);
  person.map.show(fix, nearest, path);
}

// People

function showFriends(list) {
  showList('friends', list, rows => rows.map(row => {
    const name = nameOf(row);
    const isCallable = row.askableUntil !== undefined && row.name !== undefined;
    return make('article', { className: 'item' }, make('h3', {}, name), facts([
      [words.number, row.name && row.safetyNumber],
      [words.askableUntil, row.askableUntil && dateText(row.askableUntil)],
      [words.mayAskUntil, row.mayAskUntil && dateText(row.mayAskUntil)],
    ]), make('div', { className: 'row' },
      isCallable ? button(words.ask, () => does('ask')({ who: row.name }), labelled(words.ask, name)) : null,
      isCallable ? button(words.follow, () => does('follow')({ who: row.name }), labelled(words.follow, name)) : null,
      button(words.rename, async () => {
        const given = prompt(say('renameTo', { name }), row.name ?? '');
        if (given) await does('rename')({ who: row.safetyNumber, name: given });
      }, labelled(words.rename, name)),
      button(words.forget, async () => {
        if (confirm(say('forgetSure', { name }))) await does('forget')({ who: row.safetyNumber });
      }, labelled(words.forget, name))));
  }), words.noFriends);
}

async function invite() {
  const made = await does('invite')({});
  if (made) put('invitation', say('invitation', { number: made.safetyNumber, link: made.link }));
}

function showFollowers(list) {
  showList('followers', list, rows => rows.map(row => make('div', { className: 'item row' }, make('span', {}, nameOf(row)),
    make('span', { className: 'small' }, say('followerUntil', { since: dateText(row.since), until: dateText(row.until) })),
    button(words.end, () => does('unfollow')({ who: row.request }), labelled(words.end, nameOf(row))))), words.noFollowers);
}

function showDevices(list) {
  showList('devices', list, rows => rows.map(row => {
    const given = row.name === undefined ? words.deviceOther : row.name || words.deviceUnnamed;
    const name = row.isThis ? say('deviceThis', { name: given }) : given;
    return make('div', { className: 'item' }, make('h3', {}, name), make('p', { className: 'small' }, say('deviceState', {
      answers: row.answers ? words.answers : words.answersNot, state: words[row.state], time: dateText(row.registered),
    })), make('div', { className: 'row' },
      row.isThis && !row.answers ? button(words.answerHere, () => does('answerHere')({})) : null,
      rows.length > 1 ? button(words.removeDevice, async () => {
        if (confirm(say('removeSure', { name }))) await does('removeDevice')({ who: row.device });
      }, labelled(words.removeDevice, name)) : null));
  }), words.noDevices);
}

// Lists

const ending = (title, verb, id, row) => make('td', {}, button(title, () => does(verb)({ who: id }), labelled(title, nameOf(row))));

function showGrants(list) {
  showList('grants', list, rows => rows.length ? [table(words.grants, words.grantsHead, rows.map(row => [
    nameOf(row), words[row.precision], dateText(row.until), row.atMostEverySeconds ? durationText(row.atMostEverySeconds) : '',
    row.hours ? `${row.hours.from}–${row.hours.to} (UTC${row.hours.utcOffset})` : '',
    row.usesLeft === undefined ? '' : say('usesLeft', { left: row.usesLeft, all: row.uses }), row.asksYou ? words.asksYou : '',
    row.followMinutes ? say('minutes', { count: row.followMinutes }) : '', words[row.state === 'ended' ? 'grantEnded' : row.state],
    ['holds', 'damaged', 'used'].includes(row.state) ? ending(words.revoke, 'revoke', row.id, row) : '',
  ]), '')] : [], words.noGrants);
}

function showSchedules(list) {
  showList('schedules', list, rows => rows.length ? [table(words.schedules, words.schedulesHead, rows.map(row => [
    row.asksYou ? words.asksYouSchedule : words.asksThem, nameOf(row), words[row.precision], durationText(row.everyMinutes * 60),
    dateText(row.since), dateText(row.until), row.state === 'asks' ? words.scheduleAsks : row.reason ?? words.grantEnded,
    row.state === 'asks' ? ending(words.end, 'unschedule', row.schedule, row) : '',
  ]), '')] : [], words.noSchedules);
}

function showJournal(list) {
  put('journal-state', list.trouble || !list.rows.length ? '' : words.journalWhole);
  showList('journal', list, rows => rows.length ? [table(words.journal, words.journalHead, rows.toReversed().map(row => [
    String(row.line), make('td', { className: 'time' }, dateText(row.time)), nameOf(row),
    row.position ? stateText({ position: row.position }).trim() : row.reason ?? '', words[row.end] ?? words.onItsWay,
  ]), '')] : [], words.noJournal);
}

// Events

const parts = {
  questions: showQuestions, requests: showRequests, friends: showFriends, followers: showFollowers, devices: showDevices,
  grants: showGrants, schedules: showSchedules, journal: showJournal,
};

sayAll();
status(words.connecting);
zoomable(() => person.map);
element('invite').append(button(words.invite, invite));
new Events(() => 'events', Object.fromEntries(Object.entries(parts).map(([part, show]) => [part, value => {
  status(words.live, '', 'ready');
  show(value);
}])));
