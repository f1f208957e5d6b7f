'use strict';

const person = { map: null };
const world = readWorld(element('world').textContent);
const nameOf = row => row.name ?? row.safetyNumber;
const dateText = text => timeText(Date.parse(text), Date.now());
const does = verb => (fields, done, note) => order('order', { verb, ...fields }, done, note);
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
  showAskable(list.rows.filter(row => row.askableUntil && row.name).map(row => row.name));
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

function showGroups(list) {
  put('group-news', list.news);
  showList('groups', list, rows => rows.map(row => {
    const isOurs = row.founder === 'you';
    const doing = (title, verb, question, fields, who = row.name) => button(title, async () => {
      if (confirm(say(question, { name: who, group: row.name }))) await does(verb)({ who: row.name, ...fields });
    }, labelled(title, who));
    return make('article', { className: 'item' }, make('h3', {}, row.name), facts([
      [words.founder, isOurs ? words.you : row.founder], [words.precision, words[row.precision]],
      [words.until, dateText(row.until)], [words.groupState, words[groupStates[row.state]] ?? row.state],
    ]), make('ul', {}, ...row.others.map(name => make('li', { className: 'row' }, make('span', {}, name), isOurs
      ? doing(words.removeDevice, 'removeMember', 'removeMemberSure', { name }, name) : null))),
    make('div', { className: 'row' }, isOurs && row.state === 'member' ? button(words.inviteToGroup, async () => {
      const made = await does('inviteToGroup')({ who: row.name }, '');
      if (made) showMade('group-made', made, say('groupInvitation', { number: made.safetyNumber }));
    }, labelled(words.inviteToGroup, row.name)) : null,
    doing(words.leave, 'leaveGroup', 'leaveSure', {})));
  }), words.noGroups);
}

const groupStates = {
  ended: 'grantEnded', 'waits for the founder': 'groupWaits', member: 'groupMember', 'removed by the founder': 'groupRemoved',
};

function offerGroup() {
  element('group').append(form(words.makeGroup, [
    field(words.groupName, 'who', { maxLength: 64, required: true }),
    field(words.precision, 'precision', [['full', words.full], ['reduced', words.reduced]]),
    field(words.forTime, 'for', lengths('365d', '31d', '7d', '1d')),
  ], ({ who, ...options }, note) => does('createGroup')({ who, options }, say('groupMade', { name: who }), note)));
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
      row.isThis ? button(words.rename, async () => {
        const given = prompt(words.nameDevice, row.name ?? '');
        if (given) await does('nameDevice')({ name: given });
      }, labelled(words.rename, name)) : null,
      rows.length > 1 ? button(words.removeDevice, async () => {
        if (confirm(say('removeSure', { name }))) await does('removeDevice')({ who: row.device });
      }, labelled(words.removeDevice, name)) : null));
  }), words.noDevices);
}

// Lines to send and to accept

const lengths = (...texts) => texts.map(text => [text, durationText(parseInt(text) * { m: 60, h: 3600, d: 86400 }[text.at(-1)])]);

/** The fields of a grant's terms; the first length is the usual one. */
const termsFields = (...times) => [
  field(words.forTime, 'for', lengths(...times)),
  field(words.precision, 'precision', [['full', words.full], ['reduced', words.reduced]]),
  field(words.uses, 'uses', { type: 'number', min: 1, max: 65535, placeholder: words.anyNumber }),
  field(words.liveShare, 'follow', [['', words.followNot], ...lengths('15m', '1h', '8h')]),
  field(words.askMe, 'ask-me', { type: 'checkbox' }),
];

/** Draws the rows of a QR code, with the light border that cameras need. */
function drawnCode(rows) {
  const [scale, border] = [4, 4];
  const side = (rows.length + 2 * border) * scale;
  const canvas = make('canvas', { width: side, height: side, ariaLabel: words.code });
  canvas.setAttribute('role', 'img');
  const context = canvas.getContext('2d');
  context.fillStyle = '#fff';
  context.fillRect(0, 0, side, side);
  context.fillStyle = '#000';
  rows.forEach((row, y) => [...row].forEach((cell, x) => {
    if (cell === '1') context.fillRect((x + border) * scale, (y + border) * scale, scale, scale);
  }));
  return canvas;
}

/** Shows a line to send, until the person hides it. */
function showMade(id, { line, code, warning }, sentence) {
  element(id).querySelector('.handed')?.remove();
  const text = make('code', { tabIndex: 0 }, line);
  const made = make('div', { className: 'handed', tabIndex: -1 }, make('p', {}, sentence), text, code ? drawnCode(code) : null,
    warning ? make('p', { className: 'bad' }, warning) : null, make('div', { className: 'row' },
      button(words.copy, async () => {
        await navigator.clipboard.writeText(line).catch(() => getSelection().selectAllChildren(text));
      }), button(words.hide, () => made.remove())));
  element(id).append(made);
  made.focus();
}

function offerInvitation() {
  element('invite').append(form(words.invite, [
    field(words.ownName, 'name', { maxLength: 64, placeholder: words.usualName }),
    field(words.acceptedFor, 'for', lengths('7d', '1d', '31d')),
    field(words.both, 'both', { type: 'checkbox' }),
  ], async (options, note) => {
    const made = await does('invite')({ options }, '', note);
    if (made) showMade('invite', made, say(options.both ? 'invitationBoth' : 'invitation', { number: made.safetyNumber }));
  }));
}

function offerLink() {
  element('link').append(make('p', { className: 'small' }, words.linkHint), form(words.makeLink, [
    field(words.linkName, 'name', { maxLength: 64, placeholder: words.linkNumbered }),
    field(words.ownName, 'own-name', { maxLength: 64, placeholder: words.usualName }), ...termsFields('2h', '8h', '1d', '7d', '31d'),
    field(words.password, 'password', { type: 'password', autocomplete: 'new-password', placeholder: words.noPassword }),
  ], async ({ password, ...options }, note) => {
    const made = await does('link')({ options, text: password }, '', note);
    if (!made) return;
    element('link').querySelector('form').reset();
    showMade('link', made, say(password ? 'linkMadePassword' : 'linkMade'));
  }));
}

/** Reads a pasted line, and shows its content before anything is accepted. */
function offerAcceptance() {
  const read = form(words.readLine, [field(words.pasted, 'text', { required: true, spellcheck: false })], async ({ text }, note) => {
    element('accept').querySelectorAll('.handed, form + form').forEach(old => old.remove());
    const line = await does('read')({ text }, '', note);
    if (line) showPasted(text, line);
  });
  read.firstChild.classList.add('full');
  element('accept').append(make('p', { className: 'small' }, words.acceptHint), read);
}

function showPasted(text, line) {
  const values = { name: line.name ?? words.somebody, group: line.group ?? '' };
  const givesGrant = line.kind === 'invitation';
  const mayGive = line.kind === 'grant' && line.isForBoth;
  const title = make('h3', { tabIndex: -1, className: 'full' }, say('pasted_' + line.kind, values));
  const terms = givesGrant || mayGive ? termsFields('7d', '1d', '2h', '31d', '365d') : [];
  const fields = [title, facts([
    [words.server, line.server], ...termsFacts(line.terms),
  ]), ...(givesGrant || line.kind === 'group' ? [make('p', { className: 'small' }, words.notice)] : []),
  ...(line.isForBoth && givesGrant ? [make('p', {}, say('offersBoth', values))] : []),
  ...(line.kind === 'key' ? [] : [field(words.theirName, 'name', { maxLength: 64, value: line.name ?? '' })]),
  ...(line.kind === 'group' || (line.isForBoth && givesGrant)
    ? [field(words.ownName, 'own-name', { maxLength: 64, placeholder: words.usualName })] : []),
  ...(mayGive ? [field(say('allowBoth', values), 'both', { type: 'checkbox' })] : []), ...terms,
  make('p', {}, say(line.kind === 'key' ? 'compareKey' : line.isKnown ? 'compareKnown' : 'compare', values)),
  make('p', { className: 'number' }, line.safetyNumber)];
  const accept = form(words.acceptSame, fields, async (options, note) => {
    // Terms are for a grant; without one, the command would refuse them.
    const given = mayGive && !options.both ? { name: options.name } : options;
    const made = await does('accept')({ text, options: { ...given, 'safety-number': line.safetyNumber } }, say('accepted_' + line.kind, {
      ...values, name: options.name ?? values.name,
    }), note);
    if (!made) return;
    accept.replaceChildren(title, note);
    element('accept').querySelector('form').reset();
    if (made.line) showMade('accept', made, say('sendBack', { name: options.name ?? values.name, number: made.safetyNumber }));
  });
  element('accept').append(accept);
  title.focus();
}

const termsFacts = terms => terms ? [
  [words.precision, words[terms.precision]], [words.until, dateText(terms.until)],
  [words.atMostEvery, terms.atMostEverySeconds ? durationText(terms.atMostEverySeconds) : ''],
  [words.hours, terms.hours ? `${terms.hours.from}–${terms.hours.to} (UTC${terms.hours.utcOffset})` : ''],
  [words.uses, terms.uses === undefined ? '' : String(terms.uses)], [words.asksThemEach, terms.asksPerson ? words.asksYou : ''],
  [words.liveShare, terms.followMinutes ? say('minutes', { count: terms.followMinutes }) : ''],
] : [];

function offerSchedule() {
  element('schedule').append(form(words.makeSchedule, [
    field(words.person, 'who', []), field(words.every, 'every', lengths('15m', '1h', '6h', '1d')),
    field(words.forTime, 'until', lengths('1d', '7d', '31d')),
  ], ({ who, ...options }, note) => does('ask')({ who, options }, words.scheduleBegun, note)));
}

/** Offers the people whom the person may ask; the choice stays while it is possible. */
function showAskable(names) {
  const select = element('schedule').querySelector('select');
  const chosen = select.value;
  select.replaceChildren(...names.map(name => make('option', { value: name, selected: name === chosen }, name)));
  element('schedule').hidden = names.length === 0;
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
  group: showGroups, grants: showGrants, schedules: showSchedules, journal: showJournal,
};

sayAll();
status(words.connecting);
zoomable(() => person.map);
for (const offer of [offerInvitation, offerAcceptance, offerGroup, offerLink, offerSchedule]) offer();
new Events(() => 'events', Object.fromEntries(Object.entries(parts).map(([part, show]) => [part, value => {
  status(words.live, '', 'ready');
  show(value);
}])));
