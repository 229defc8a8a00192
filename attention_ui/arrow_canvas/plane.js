// The draggable plane: what is drawn. Nothing here knows how an arrow comes to be where it is.

const SIDE = 400; // the drawing's own units; CSS scales it
const MIDDLE = SIDE / 2;
const ZERO = 1e-9;

const svg = (tag, attributes = {}) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};
const html = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text; // never innerHTML: words are words
  return element;
};
const round = (value) => Math.round(value * 100) / 100 + 0;
const written = (value) => String(round(value)).replace("-", "−");

// The plane's half width: 1, 2 or 5 times a power of ten, or halfway between, with room round the tips.
function niceReach(largest) {
  const wanted = Math.max(1, largest * 1.2);
  const power = 10 ** Math.floor(Math.log10(wanted));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((n) => n * power).find((n) => n >= wanted);
}

// Lines, their numbers, what the directions mean, and the unit circle where arrows are held to it.
function gridParts(reach, mode, compass) {
  const rough = reach / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const parts = [];
  for (let n = -Math.floor(reach / step); n * step <= reach; n += 1) {
    const at = MIDDLE + ((n * step) / reach) * MIDDLE;
    const kind = n === 0 ? "axis" : "";
    parts.push(svg("line", { class: kind, x1: at, x2: at, y1: 0, y2: SIDE }));
    parts.push(svg("line", { class: kind, x1: 0, x2: SIDE, y1: SIDE - at, y2: SIDE - at }));
    if (n === 0 || Math.abs(at - MIDDLE) > MIDDLE - 14) continue;
    const across = svg("text", { x: at, y: MIDDLE + 14, "text-anchor": "middle" });
    const down = svg("text", { x: MIDDLE - 5, y: SIDE - at + 4, "text-anchor": "end" });
    across.textContent = written(n * step);
    down.textContent = written(n * step);
    parts.push(across, down);
  }
  for (const [text, x, y, anchor] of [
    [compass[0], SIDE - 4, MIDDLE - 13, "end"],
    [compass[1], MIDDLE + 6, 14, "start"],
    [compass[2], 4, MIDDLE - 13, "start"],
  ]) {
    if (!text) continue;
    const label = svg("text", { class: "compass", x, y, "text-anchor": anchor });
    label.textContent = text;
    parts.push(label);
  }
  if (mode === "unit circle") {
    parts.push(svg("circle", { class: "axis", cx: MIDDLE, cy: MIDDLE, r: MIDDLE / reach, fill: "none" }));
  }
  return parts;
}

function drawShaft(shaft, head, [x, y]) {
  const [dx, dy] = [x - MIDDLE, y - MIDDLE];
  const length = Math.hypot(dx, dy);
  const [ux, uy] = length ? [dx / length, dy / length] : [0, 0];
  const size = Math.min(13, length);
  const [bx, by] = [x - ux * size, y - uy * size];
  for (const [name, value] of [["x1", MIDDLE], ["y1", MIDDLE], ["x2", bx], ["y2", by]]) {
    shaft.setAttribute(name, value);
  }
  const wide = size * 0.42;
  head.setAttribute("d", `M${x},${y}L${bx - uy * wide},${by + ux * wide}L${bx + uy * wide},${by - ux * wide}Z`);
}

class Labels {
  constructor() {
    this.places = new Map(); // id -> which place round its tip a label has
    this.widths = new Map(); // text -> its width in the drawing's units
    document.fonts.ready.then(() => this.widths.clear());
  }

  // Arrows of one role that coincide share a label; each label takes the first free place round its tip,
  // and keeps its place while that stays free, so that labels do not flutter during a drag.
  place(arrows, compass) {
    const groups = new Map();
    for (const arrow of arrows) {
      arrow.text.textContent = "";
      const at = `${arrow.role} ${arrow.x.toFixed(6)} ${arrow.y.toFixed(6)}`;
      if (groups.has(at)) groups.get(at).labels.push(arrow.label);
      else groups.set(at, { ...arrow, labels: [arrow.label] });
    }
    // Labels keep off the shafts, which are walked in small steps.
    const taken = [...groups.values()].flatMap(({ at: [x, y] }) => {
      const steps = Math.ceil(Math.hypot(x - MIDDLE, y - MIDDLE) / 8);
      return Array.from({ length: steps }, (_, i) => {
        const [cx, cy] = [MIDDLE + ((x - MIDDLE) * i) / steps, MIDDLE + ((y - MIDDLE) * i) / steps];
        return { left: cx - 2, right: cx + 2, top: cy - 2, bottom: cy + 2 };
      });
    });
    // And off what the plane's directions mean.
    const [right, up, left] = compass.map((text) => 6.5 * text.length);
    if (right) taken.push({ left: SIDE - 4 - right, right: SIDE, top: MIDDLE - 25, bottom: MIDDLE - 7 });
    if (up) taken.push({ left: MIDDLE, right: MIDDLE + 6 + up, top: 0, bottom: 20 });
    if (left) taken.push({ left: 0, right: 4 + left, top: MIDDLE - 25, bottom: MIDDLE - 7 });
    for (const group of groups.values()) {
      const { labels, text, at, id } = group;
      text.textContent = labels.length > 3 ? `${labels.slice(0, 2).join(" · ")} · +${labels.length - 2}` : labels.join(" · ");
      const width = this.widthOf(text);
      const out = [];
      for (const far of [15, 26, 40, 56]) {
        for (const angle of [-45, 45, 135, -135, -90, 90, 0, 180]) {
          const [c, s] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)];
          const left = at[0] + far * c + (c > 0.1 ? 0 : c < -0.1 ? -width : -width / 2);
          out.push({ left, right: left + width, top: at[1] + far * s - 8, bottom: at[1] + far * s + 8 });
        }
      }
      const free = (box) =>
        box.left > 2 && box.right < SIDE - 2 && box.top > 2 && box.bottom < SIDE - 2 &&
        !taken.some((o) => box.left < o.right && o.left < box.right && box.top < o.bottom && o.top < box.bottom);
      const kept = this.places.get(id);
      let place = kept !== undefined && free(out[kept]) ? kept : out.findIndex(free);
      text.style.display = place < 0 ? "none" : ""; // no room: the list below still names it
      if (place < 0) continue;
      this.places.set(id, place);
      taken.push(out[place]);
      text.setAttribute("x", out[place].left);
      text.setAttribute("y", out[place].bottom - 3);
    }
  }

  // Asking for a width makes the browser lay out the page, so each text is measured once.
  widthOf(text) {
    const words = text.textContent;
    if (!this.widths.has(words)) {
      text.style.display = ""; // what is not shown has no width
      const width = text.getComputedTextLength();
      if (!width) return words.length * 7.5;
      this.widths.set(words, width);
    }
    return this.widths.get(words);
  }
}
