'use strict';

// The packed coasts, borders and places that dev/world writes.

/** Unpacks the world; dev/world describes the format. */
async function readWorld(text) {
  const packed = Uint8Array.from(atob(text.trim()), c => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  let at = 0;
  const number = () => {
    let value = 0;
    for (let shift = 1; ; shift *= 128) {
      const byte = bytes[at++];
      value += (byte & 127) * shift;
      if (byte < 128) return value;
    }
  };
  const column = count => {
    let last = 0;
    return Float64Array.from({ length: count }, () => {
      const value = number();
      last += value % 2 ? -(value + 1) / 2 : value / 2;
      return last / 100;
    });
  };
  const counts = [0, 1].map(() => Array.from({ length: number() }, number));
  const total = counts.flat().reduce((a, b) => a + b, 0);
  const [xs, ys] = [column(total), column(total)];
  let first = 0;
  const [coasts, borders] = counts.map(lines => lines.map(count => {
    const line = { xs: xs.subarray(first, first + count), ys: ys.subarray(first, first + count) };
    first += count;
    const [[west, east], [south, north]] = [line.xs, line.ys].map(all => [Math.min(...all), Math.max(...all)]);
    return { ...line, west, east, south, north };
  }));
  const placeCount = number();
  const [longitudes, latitudes] = [column(placeCount), column(placeCount)];
  const ranks = Array.from({ length: placeCount }, number);
  const names = new TextDecoder().decode(bytes.subarray(at)).split('\n');
  const places = names.map((name, i) => ({ name, longitude: longitudes[i], latitude: latitudes[i], rank: ranks[i] }));
  return { coasts, borders, places };
}

const earthRadius = 6371008.8;
const radians = degrees => degrees * Math.PI / 180;

/** The distance between two places on a sphere, in metres. */
function distance(a, b) {
  const [x, y] = [radians(b.longitude - a.longitude), radians(b.latitude - a.latitude)];
  const half = Math.sin(y / 2) ** 2 + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.sin(x / 2) ** 2;
  return 2 * earthRadius * Math.asin(Math.min(1, Math.sqrt(half)));
}

/** The direction from one place to another, in degrees clockwise from north. */
function bearing(a, b) {
  const [from, to, x] = [radians(a.latitude), radians(b.latitude), radians(b.longitude - a.longitude)];
  const angle = Math.atan2(
    Math.sin(x) * Math.cos(to), Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(x));
  return (angle * 180 / Math.PI + 360) % 360;
}

/** The place at a distance and direction from another place. */
function destination(from, metres, degrees) {
  const [way, turn, y] = [metres / earthRadius, radians(degrees), radians(from.latitude)];
  const latitude = Math.asin(Math.sin(y) * Math.cos(way) + Math.cos(y) * Math.sin(way) * Math.cos(turn));
  const x = Math.atan2(
    Math.sin(turn) * Math.sin(way) * Math.cos(y), Math.cos(way) - Math.sin(y) * Math.sin(latitude));
  return { latitude: latitude * 180 / Math.PI, longitude: from.longitude + x * 180 / Math.PI };
}

/** The nearest places, nearest first, each with its distance and the direction from the place to the position. */
function nearestPlaces(world, position, count) {
  return world.places
    .map(place => ({ place, metres: distance(place, position) }))
    .sort((a, b) => a.metres - b.metres)
    .slice(0, count)
    .map(({ place, metres }) => ({ place, metres, direction: bearing(place, position) }));
}
