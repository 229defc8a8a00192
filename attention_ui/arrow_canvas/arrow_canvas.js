// The draggable plane: what moves. The browser knows geometry only: which arrow, where, under what constraint.
// A dragged arrow moves at once; its positions stream to Python, one in flight at a time.
// plane.js draws.

const LIMIT = 1000; // as far as Python lets a vector reach
const STEP = 0.1;
const BIG_STEP = 1;
const ANSWER_MS = 3000; // an answer that takes longer is lost: the newest position is sent again

const clamp = (value) => Math.max(-LIMIT, Math.min(LIMIT, value));

class Canvas {
  constructor(parent) {
    this.arrows = new Map(); // id -> { data, x, y, elements }
    this.seq = 0;
    this.inFlight = null; // { seq, ids }
    this.pending = new Map(); // id -> the newest position not yet sent
    this.held = null; // { id, pointer, x, y }: the arrow under the pointer and what it was
    this.reach = null;
    this.labels = new Labels();
    this.root = html("div", "al-canvas");
    this.picture = svg("svg", { viewBox: `0 0 ${SIDE} ${SIDE}`, role: "group" });
    this.grid = this.picture.appendChild(svg("g", { class: "al-canvas-grid", "aria-hidden": "true" }));
    this.hull = this.picture.appendChild(svg("polygon", { class: "al-canvas-hull" }));
    this.result = this.picture.appendChild(svg("g", { class: "al-canvas-arrow al-canvas-output" }));
    this.result.append(svg("line", { class: "shaft" }), svg("path", { class: "head" }), svg("text"));
    this.tips = this.picture.appendChild(svg("g"));
    this.title = html("p", "al-canvas-title");
    this.root.append(this.title, this.picture, this.makeInputs());
    parent.append(this.root);
  }

  // The keyboard twin: a list of all arrows, zero ones too, and the two numbers of the one chosen.
  makeInputs() {
    const row = html("div", "al-canvas-inputs");
    this.list = html("select");
    this.list.setAttribute("aria-label", "Arrow to move");
    this.list.addEventListener("change", () => this.select(this.list.value));
    row.append(this.list);
    this.inputs = ["x", "y"].map((axis) => {
      const label = html("label", "", axis);
      const input = html("input");
      Object.assign(input, { type: "number", step: STEP, min: -LIMIT, max: LIMIT, inputMode: "decimal" });
      input.addEventListener("input", () => this.typed());
      input.addEventListener("blur", () => this.writeInputs());
      label.append(input);
      row.append(label);
      return input;
    });
    this.note = html("span", "al-canvas-note");
    this.note.setAttribute("role", "status");
    row.append(this.note);
    return row;
  }

  update(data) {
    this.data = data;
    this.picture.setAttribute("aria-label", data.alt);
    this.title.textContent = data.title;
    if (this.inFlight && data.seq >= this.inFlight.seq) {
      clearTimeout(this.timer);
      this.inFlight = null;
    }
    this.seq = Math.max(this.seq, data.seq);
    const words = JSON.stringify(data.arrows.map(({ id, name }) => [id, name]));
    if (words !== this.words) this.forget(); // what was dragged in another sentence is no move of this one
    this.words = words;
    for (const [id, arrow] of this.arrows) {
      if (!data.arrows.some((other) => other.id === id)) {
        arrow.group.remove();
        this.arrows.delete(id);
      }
    }
    for (const arrow of data.arrows) this.accept(arrow);
    this.fillList();
    this.rescale();
    this.schedule();
    // The arrow gets two frames of its own between an answer and the next question.
    requestAnimationFrame(() => requestAnimationFrame(() => this.flush()));
  }

  forget() {
    clearTimeout(this.timer);
    this.pending.clear();
    this.inFlight = this.was = null;
    if (this.held) this.arrows.get(this.held.id).group.classList.remove("held");
    this.held = null;
  }

  // Python's position counts, except for an arrow that has moved on since.
  accept(arrow) {
    let mine = this.arrows.get(arrow.id);
    if (!mine) {
      mine = { ...this.makeArrow(arrow), x: arrow.x, y: arrow.y };
      this.arrows.set(arrow.id, mine);
    }
    mine.data = arrow;
    const ahead = this.held?.id === arrow.id || this.pending.has(arrow.id) || this.inFlight?.ids.includes(arrow.id);
    if (ahead) return;
    [mine.x, mine.y] = [arrow.x, arrow.y];
    if (Math.abs(Math.hypot(arrow.x, arrow.y) - mine.length) > 0.02) mine.length = undefined; // changed elsewhere
  }

  makeArrow({ id, role }) {
    const group = svg("g", { class: `al-canvas-arrow al-canvas-${role}`, role: "button" });
    group.setAttribute("aria-roledescription", "movable arrow");
    const shaft = svg("line", { class: "shaft" });
    const head = svg("path", { class: "head" });
    const handle = svg("circle", { class: "handle", r: 9 });
    const target = svg("circle", { class: "target", r: 22 });
    const text = svg("text");
    group.append(shaft, head, handle, text, target);
    // A finger on a tip drags it and does not scroll the page: touch-action does not reach inside an SVG everywhere.
    group.addEventListener("touchstart", (event) => this.held && event.preventDefault(), { passive: false });
    group.addEventListener("pointerdown", (event) => this.grab(event, id));
    group.addEventListener("pointermove", (event) => this.drag(event, id));
    group.addEventListener("pointerup", (event) => this.release(event, id));
    group.addEventListener("pointercancel", (event) => this.release(event, id));
    group.addEventListener("keydown", (event) => this.key(event, id));
    group.addEventListener("focus", () => {
      this.select(id);
      this.remember(id);
    });
    this.tips.append(group);
    return { group, shaft, head, handle, target, text };
  }

  // ---- moving

  grab(event, id) {
    const arrow = this.arrows.get(id);
    if (!arrow.data.movable || this.held || event.button > 0) return;
    event.preventDefault();
    arrow.group.focus({ preventScroll: true });
    arrow.group.setPointerCapture(event.pointerId);
    this.held = { id, pointer: event.pointerId, x: arrow.x, y: arrow.y };
    arrow.group.classList.add("held");
  }

  drag(event, id) {
    if (this.held?.id !== id || this.held.pointer !== event.pointerId) return;
    this.held.moved = true;
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.picture.getScreenCTM().inverse());
    const scale = this.reach / MIDDLE;
    this.move(id, (at.x - MIDDLE) * scale, (MIDDLE - at.y) * scale);
  }

  release(event, id) {
    if (this.held?.id !== id || this.held.pointer !== event.pointerId) return;
    const arrow = this.arrows.get(id);
    arrow.group.classList.remove("held");
    const { moved } = this.held;
    this.was = { id, x: this.held.x, y: this.held.y };
    this.held = null;
    if (moved) this.move(id, arrow.x, arrow.y); // snaps to two decimals; Python hears that the drag has ended
    this.rescale();
  }

  key(event, id) {
    const arrow = this.arrows.get(id);
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (event.key === "Escape") return this.restore(event, id);
    if (!steps || !arrow.data.movable) return;
    event.preventDefault();
    const size = event.shiftKey ? BIG_STEP : STEP;
    this.move(id, arrow.x + size * steps[0], arrow.y + size * steps[1]);
    this.rescale();
  }

  // Escape brings back what the arrow was when it was last grabbed or reached by Tab.
  restore(event, id) {
    const was = this.held?.id === id ? this.held : this.was?.id === id ? this.was : null;
    if (!was) return;
    event.preventDefault();
    const { x, y } = was;
    if (this.held) {
      this.arrows.get(id).group.classList.remove("held");
      this.held = null;
    }
    this.move(id, x, y);
    this.rescale();
  }

  typed() {
    const [x, y] = this.inputs.map((input) => (input.value === "" ? NaN : Number(input.value)));
    if (!this.selected || !Number.isFinite(x) || !Number.isFinite(y)) return; // half-typed: wait
    this.note.textContent = Math.max(Math.abs(x), Math.abs(y)) > LIMIT ? `Held to ±${LIMIT}.` : "";
    this.move(this.selected, x, y);
    this.rescale();
  }

  move(id, x, y) {
    const arrow = this.arrows.get(id);
    [x, y] = this.constrain(arrow, x, y);
    const free = this.held?.id === id;
    [arrow.x, arrow.y] = free ? [x, y] : [round(x), round(y)];
    this.pending.set(id, { id, x: round(x), y: round(y) });
    this.selected = id;
    this.schedule();
    this.flush();
  }

  constrain(arrow, x, y) {
    [x, y] = [clamp(x), clamp(y)];
    const length = Math.hypot(x, y);
    const own = Math.hypot(arrow.data.x, arrow.data.y);
    if (this.data.mode === "free" || own < ZERO) {
      arrow.length = undefined;
      return [x, y];
    }
    if (length < ZERO) return [arrow.x, arrow.y]; // no direction: stay
    arrow.length ??= own; // kept from its first move on, so that rounding does not wear it down
    const wanted = this.data.mode === "unit circle" ? 1 : arrow.length;
    return [(x / length) * wanted, (y / length) * wanted];
  }

  flush() {
    if (this.gone || this.inFlight || !this.pending.size) return;
    const moves = [...this.pending.values()];
    this.pending.clear();
    this.inFlight = { seq: ++this.seq, ids: moves.map(({ id }) => id) };
    this.timer = setTimeout(() => {
      this.inFlight = null;
      for (const move of moves) if (!this.pending.has(move.id)) this.pending.set(move.id, move);
      this.flush();
    }, ANSWER_MS);
    this.send({ seq: this.seq, moves, held: this.held !== null });
  }

  select(id) {
    if (!this.arrows.has(id)) return;
    if (this.selected !== id) this.remember(id);
    this.selected = id;
    this.note.textContent = "";
    this.draw();
  }

  remember(id) {
    const { x, y } = this.arrows.get(id);
    this.was = { id, x, y };
  }

  // ---- drawing

  schedule() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  // The plane grows or shrinks to fit its arrows, in a quarter of a second, never under a held arrow.
  rescale() {
    if (this.held) return;
    const points = [...this.arrows.values(), ...(this.data.result ? [this.data.result] : [])];
    const wanted = niceReach(Math.max(...points.map(({ x, y }) => Math.max(Math.abs(x), Math.abs(y))), 0));
    if (wanted === this.wanted) return;
    this.wanted = wanted;
    const calm = this.reach === null || matchMedia("(prefers-reduced-motion: reduce)").matches;
    const [from, start] = [this.reach, performance.now()];
    const step = (now) => {
      if (this.gone || this.wanted !== wanted) return;
      if (this.held) return (this.wanted = null); // grabbed meanwhile: it goes on after the release
      const part = calm ? 1 : Math.min(1, (now - start) / 250);
      this.reach = calm ? wanted : from * (wanted / from) ** part;
      if (part === 1) this.reach = wanted;
      this.draw();
      if (part < 1) requestAnimationFrame(step);
    };
    step(start);
  }

  draw() {
    if (!this.data || this.reach === null) return;
    this.drawGrid();
    const unit = MIDDLE / this.reach;
    const px = ({ x, y }) => [MIDDLE + x * unit, MIDDLE - y * unit];
    const points = this.data.hull.map(([x, y]) => px({ x, y }).join(",")).join(" ");
    this.hull.setAttribute("points", points);
    for (const [id, arrow] of this.arrows) this.drawArrow(id, arrow, px(arrow));
    const { result } = this.data;
    this.result.style.display = result ? "" : "none";
    if (result) drawShaft(this.result.children[0], this.result.children[1], px(result));
    const all = [...this.arrows.values()].map((arrow) => ({ ...arrow.data, x: arrow.x, y: arrow.y, text: arrow.text }));
    if (result) all.push({ ...result, id: "result", role: "output", text: this.result.children[2] });
    this.labels.place(all.map((arrow) => ({ ...arrow, at: px(arrow) })), this.data.compass);
    this.writeInputs();
  }

  drawGrid() {
    const drawn = JSON.stringify([this.reach, this.data.mode, this.data.compass]);
    if (drawn === this.drawnGrid) return;
    this.drawnGrid = drawn;
    this.grid.replaceChildren(...gridParts(this.reach, this.data.mode, this.data.compass));
  }

  drawArrow(id, arrow, [x, y]) {
    const { data, group, shaft, head, handle, target } = arrow;
    const top = this.arrows.get(this.selected);
    const covered = top && top !== arrow && Math.hypot(arrow.x - top.x, arrow.y - top.y) < ZERO;
    const look = JSON.stringify([x, y, id === this.selected, data.movable, data.name, covered]);
    if (look === arrow.look) return; // a drag moves one of many
    arrow.look = look;
    const zero = Math.hypot(arrow.x, arrow.y) < ZERO;
    const chosen = id === this.selected;
    group.classList.toggle("chosen", chosen);
    group.classList.toggle("zero", zero);
    group.classList.toggle("still", !data.movable);
    // Dots at zero lie on each other, as equal arrows do: the list says which of them can be taken.
    const reachable = data.movable && (!zero || chosen);
    group.setAttribute("tabindex", reachable ? 0 : -1);
    target.style.pointerEvents = reachable && !covered ? "" : "none";
    group.setAttribute("aria-label", `${data.name}, ${written(arrow.x)}, ${written(arrow.y)}`);
    drawShaft(shaft, head, [x, y]);
    for (const circle of [handle, target]) {
      circle.setAttribute("cx", x);
      circle.setAttribute("cy", y);
    }
  }

  fillList() {
    const options = this.data.arrows.filter((arrow) => arrow.movable);
    const wanted = options.map(({ id, name }) => `${id} ${name}`).join("\n");
    if (wanted !== this.listed) {
      this.listed = wanted;
      this.list.replaceChildren(...options.map(({ id, name }) => {
        const option = html("option", "", name);
        option.value = id;
        return option;
      }));
    }
    if (!options.some(({ id }) => id === this.selected)) this.selected = options[0]?.id;
    this.list.parentElement.hidden = options.length === 0;
  }

  // A field that is being typed in is left alone.
  writeInputs() {
    const arrow = this.arrows.get(this.selected);
    if (!arrow) return;
    this.list.value = this.selected;
    const values = [arrow.x, arrow.y];
    this.inputs.forEach((input, i) => {
      if (document.activeElement !== input) input.value = round(values[i]);
    });
  }

  remove() {
    this.gone = true;
    clearTimeout(this.timer);
    cancelAnimationFrame(this.frame);
    this.root.remove();
  }
}

const canvases = new WeakMap();

export default function ({ parentElement, data, setStateValue }) {
  let canvas = canvases.get(parentElement);
  if (!canvas) {
    canvas = new Canvas(parentElement);
    canvases.set(parentElement, canvas);
  }
  canvas.send = (move) => setStateValue("move", move);
  canvas.update(data);
  return () => {
    canvas.remove();
    canvases.delete(parentElement);
  };
}
