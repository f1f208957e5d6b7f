'use strict';

/** A Mercator map around a position, with a circle of the accuracy and a scale bar; both are exact at the middle. */
class WorldMap {
  constructor(canvas, world, format) {
    this.canvas = canvas;
    this.world = world;
    this.format = format;
    this.radius = 0;
    // The observer also reports the first size, in which the map is drawn already.
    new ResizeObserver(() => {
      if (this.size?.width !== canvas.clientWidth || this.size.height !== canvas.clientHeight) this.draw();
    }).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
  }

  /** Shows a fix, its nearest places, and the path to it. */
  show(fix, nearest, path = []) {
    this.path = path;
    const isNear = this.fix && path.length > 1 && distance(this.fix, fix) < this.radius;
    this.fix = fix;
    this.nearest = nearest;
    this.canvas.dataset.points = path.length;
    // Keep the chosen scale while the position moves within the map.
    if (isNear) return this.draw();
    // Show some nearest places for orientation, and the whole circle if it is larger.
    const farthest = nearest[Math.min(2, nearest.length - 1)].metres;
    this.radius = Math.min(3e6, Math.max(10e3, fix.accuracy * 1.6, farthest * 1.25));
    this.draw();
  }

  zoom(factor) {
    this.radius = Math.min(6e6, Math.max(60, this.radius / factor));
    this.draw();
  }

  draw() {
    if (!this.fix || !this.canvas.clientWidth) return;
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    const density = Math.min(3, devicePixelRatio || 1);
    this.canvas.width = Math.round(width * density);
    this.canvas.height = Math.round(height * density);
    const style = getComputedStyle(this.canvas);
    this.color = name => style.getPropertyValue('--map-' + name);
    const context = this.canvas.getContext('2d');
    context.setTransform(density, 0, 0, density, 0, 0);

    const latitude = Math.max(-84, Math.min(84, this.fix.latitude));
    this.middle = this.projected(this.fix.longitude, latitude);
    // The metres of a degree of longitude at the middle.
    const metres = radians(1) * earthRadius * Math.cos(radians(latitude));
    this.scale = Math.min(width, height) / 2 / (this.radius / metres);
    this.size = { width, height };

    context.fillStyle = this.color('sea');
    context.fillRect(0, 0, width, height);
    this.drawLines(context);
    if (this.tiles) this.drawTiles(context);
    this.drawPath(context);
    this.drawCircle(context);
    // Tiles already contain place names.
    if (!this.tiles) this.drawPlaces(context);
    this.drawMarks(context);
    this.drawScale(context, metres);
  }

  /** The Mercator projection of a point, in degrees of longitude. */
  projected(longitude, latitude) {
    const y = Math.log(Math.tan(Math.PI / 4 + radians(Math.max(-85, Math.min(85, latitude))) / 2));
    return { x: longitude, y: y * 180 / Math.PI };
  }

  /** The point of a place on the canvas, moved by `turns` times 360° of longitude. */
  point(longitude, latitude, turns = 0) {
    const { x, y } = this.projected(longitude + 360 * turns, latitude);
    return [
      this.size.width / 2 + (x - this.middle.x) * this.scale, this.size.height / 2 - (y - this.middle.y) * this.scale,
    ];
  }

  /** Loads street maps from addresses of the form `https://tile.example.org/{z}/{x}/{y}.png`, and shows the streets. */
  load(form) {
    this.form = form;
    this.canvas.classList.add('streets');
    this.tiles = new Map();
    this.radius = Math.max(300, this.fix.accuracy * 1.6);
    this.draw();
  }

  /** Draws the loaded tiles over the world. */
  drawTiles(context) {
    const zoom = Math.max(0, Math.min(19, Math.round(Math.log2(this.scale * 360 / 256))));
    const count = 2 ** zoom;
    const side = this.scale * 360 / count;
    const [columns, rows] = [this.size.width / side, this.size.height / side];
    const left = (180 + this.middle.x) / 360 * count - columns / 2;
    const top = (180 - this.middle.y) / 360 * count - rows / 2;
    for (let x = Math.floor(left); x < left + columns; x++) {
      for (let y = Math.max(0, Math.floor(top)); y < Math.min(count, top + rows); y++) {
        const tile = this.tile(zoom, (x % count + count) % count, y);
        // Half a pixel more avoids gaps between tiles.
        if (tile.naturalWidth) context.drawImage(tile, (x - left) * side, (y - top) * side, side + 0.5, side + 0.5);
      }
    }
  }

  tile(z, x, y) {
    const address = this.form.replace(/\{([zxy])\}/g, (_, name) => ({ z, x, y })[name]);
    if (!this.tiles.has(address)) {
      // More tiles than a screen needs; the browser's cache has the others.
      if (this.tiles.size >= 256) this.tiles.clear();
      const tile = new Image();
      // Services such as OpenStreetMap's refuse requests that do not name the site.
      tile.referrerPolicy = 'origin';
      tile.onload = () => this.draw();
      tile.src = address;
      this.tiles.set(address, tile);
    }
    return this.tiles.get(address);
  }

  drawLines(context) {
    const degrees = this.size.width / this.scale / 2;
    const [west, east] = [this.fix.longitude - degrees, this.fix.longitude + degrees];
    for (const turns of [-1, 0, 1]) {
      if (west > 180 + 360 * turns || east < -180 + 360 * turns) continue;
      const coasts = new Path2D();
      const shores = new Path2D();
      const inView = line => line.east + 360 * turns >= west && line.west + 360 * turns <= east
        && this.point(0, line.north)[1] <= this.size.height && this.point(0, line.south)[1] >= 0;
      for (const line of this.world.coasts.filter(inView)) this.trace(line, turns, coasts, shores);
      context.fillStyle = this.color('land');
      context.fill(coasts, 'evenodd');
      context.strokeStyle = this.color('coast');
      context.lineWidth = 1;
      context.stroke(shores);
      const borders = new Path2D();
      for (const line of this.world.borders.filter(inView)) this.trace(line, turns, borders, borders);
      context.strokeStyle = this.color('border');
      context.setLineDash([4, 3]);
      context.stroke(borders);
      context.setLineDash([]);
    }
  }

  /** Adds a line to the area, and to the strokes, but without the edges at 180° where the map data is cut. */
  trace({ xs, ys }, turns, area, strokes) {
    let wasCut = true;
    for (let i = 0; i < xs.length; i++) {
      const [x, y] = this.point(xs[i], ys[i], turns);
      const isCut = i > 0 && Math.abs(xs[i]) > 179.98 && Math.abs(xs[i - 1]) > 179.98;
      if (i === 0) area.moveTo(x, y); else area.lineTo(x, y);
      if (strokes === area) continue;
      if (wasCut || isCut) strokes.moveTo(x, y); else strokes.lineTo(x, y);
      wasCut = false;
    }
  }

  drawPath(context) {
    context.beginPath();
    for (const { longitude, latitude } of this.path) {
      context.lineTo(...this.point(longitude, latitude, Math.round((this.fix.longitude - longitude) / 360)));
    }
    context.strokeStyle = this.color('position');
    context.lineWidth = 3;
    context.lineJoin = 'round';
    context.stroke();
  }

  drawCircle(context) {
    const circle = new Path2D();
    for (let degrees = 0; degrees < 360; degrees += 3) {
      const there = destination(this.fix, this.fix.accuracy, degrees);
      circle.lineTo(...this.point(there.longitude, there.latitude));
    }
    circle.closePath();
    context.fillStyle = this.color('accuracy');
    context.fill(circle);
    context.strokeStyle = this.color('position');
    context.lineWidth = 1.5;
    context.stroke(circle);

    const [x, y] = this.point(this.fix.longitude, this.fix.latitude);
    context.beginPath();
    context.arc(x, y, 7, 0, 2 * Math.PI);
    context.fillStyle = this.color('ring');
    context.fill();
    context.beginPath();
    context.arc(x, y, 5, 0, 2 * Math.PI);
    context.fillStyle = this.color('position');
    context.fill();
  }

  /** Draws further positions, each with a label. */
  drawMarks(context) {
    context.font = '600 13px system-ui, sans-serif';
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    for (const { longitude, latitude, label } of this.marks ?? []) {
      const [x, y] = this.point(longitude, latitude, Math.round((this.fix.longitude - longitude) / 360));
      context.fillStyle = this.color('text');
      context.fillRect(x - 5, y - 5, 10, 10);
      context.strokeStyle = this.color('land');
      context.lineWidth = 3;
      const length = context.measureText(label).width;
      const left = x + 9 + length > this.size.width ? x - 9 - length : x + 9;
      context.strokeText(label, left, y);
      context.fillText(label, left, y);
    }
  }

  drawPlaces(context) {
    const { width, height } = this.size;
    const [x, y] = this.point(this.fix.longitude, this.fix.latitude);
    // Keep the areas of the position, the scale bar and the buttons free.
    const taken = [
      { left: x - 12, right: x + 12, top: y - 12, bottom: y + 12 },
      { left: 0, right: 150, top: height - 40, bottom: height },
      { left: width - 64, right: width, top: 0, bottom: 116 },
    ];
    const isFree = box => box.left >= 2 && box.right <= width - 2 && box.top >= 2 && box.bottom <= height - 2
      && taken.every(other => box.right < other.left || box.left > other.right
        || box.bottom < other.top || box.top > other.bottom);
    const near = new Set(this.nearest.slice(0, 3).map(({ place }) => place));
    const places = this.world.places
      .map(place => {
        const turns = Math.round((this.fix.longitude - place.longitude) / 360);
        return { place, at: this.point(place.longitude, place.latitude, turns) };
      })
      .filter(({ at: [x, y] }) => x > 0 && x < width && y > 0 && y < height)
      .sort((a, b) => near.has(b.place) - near.has(a.place) || a.place.rank - b.place.rank);
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    let left = width < 500 ? 12 : 24;
    for (const { place, at: [x, y] } of places) {
      context.font = `${near.has(place) ? 600 : 400} 13px system-ui, sans-serif`;
      const length = context.measureText(place.name).width;
      const boxes = [x + 6, x - 6 - length].map(
        start => ({ left: start - 2, right: start + length + 2, top: y - 9, bottom: y + 9 }));
      const box = boxes.find(isFree);
      if (!box || left-- === 0) continue;
      taken.push(box);
      context.beginPath();
      context.arc(x, y, 2.5, 0, 2 * Math.PI);
      context.fillStyle = this.color('text');
      context.fill();
      context.strokeStyle = this.color('land');
      context.lineWidth = 3;
      context.strokeText(place.name, box.left + 2, y);
      context.fillText(place.name, box.left + 2, y);
    }
  }

  drawScale(context, metres) {
    const { height } = this.size;
    const longest = 120 / this.scale * metres;
    const power = 10 ** Math.floor(Math.log10(longest));
    const length = [5, 2, 1].map(digit => digit * power).find(length => length <= longest);
    const pixels = length / metres * this.scale;
    context.font = '12px system-ui, sans-serif';
    context.textBaseline = 'alphabetic';
    for (const [name, width] of [['land', 4], ['text', 1.5]]) {
      context.strokeStyle = this.color(name);
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(12, height - 17);
      context.lineTo(12, height - 12);
      context.lineTo(12 + pixels, height - 12);
      context.lineTo(12 + pixels, height - 17);
      context.stroke();
    }
    context.strokeStyle = this.color('land');
    context.lineWidth = 3;
    context.strokeText(this.format(length), 16, height - 18);
    context.fillStyle = this.color('text');
    context.fillText(this.format(length), 16, height - 18);
  }
}
