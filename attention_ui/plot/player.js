// Plays a recorded run: one playhead for all figures of a picture, moved by play, step and scrub.
// A run is plain data: tracks of float32 numbers, each of which replaces one attribute of one trace.

const TICK_MS = 50; // 20 updates a second, if the machine can
const SPEEDS = [1, 5, 20]; // steps a tick
const PATIENCE_MS = 5000; // an answer that takes longer was lost with the connection: ask again
const REST_MS = 400; // a playhead that rests that long is told to Python, which writes it into the link

class Player {
  // `moved` is called with the playhead whenever it moves, `ask` to send a request to Python.
  constructor(bar, moved, ask) {
    Object.assign(this, { moved, ask, step: 0, playing: false, speed: SPEEDS[0] });
    this.seq = 0;
    this.bar = bar;
    this.start = this.button("start", () => (this.playing ? this.pause() : this.play()));
    this.button("+1", () => this.jump(1), "one step on");
    this.button("×10", () => this.jump(10), "ten steps on");
    this.button("reset", () => this.reset());
    this.pace = document.createElement("select");
    this.pace.setAttribute("aria-label", "speed");
    for (const speed of SPEEDS) this.pace.append(new Option(`${speed} step${speed > 1 ? "s" : ""} a tick`, speed));
    this.pace.addEventListener("change", () => (this.speed = Number(this.pace.value)));
    this.scrub = document.createElement("input");
    Object.assign(this.scrub, { type: "range", min: 0, step: 1, value: 0 });
    this.scrub.setAttribute("aria-label", "step of the run");
    this.scrub.addEventListener("input", () => {
      this.pause();
      this.go(Number(this.scrub.value));
    });
    this.label = document.createElement("output");
    this.bar.append(this.pace, this.scrub, this.label);
  }

  button(text, act, name) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    if (name) made.setAttribute("aria-label", name);
    made.addEventListener("click", act);
    this.bar.append(made);
    return made;
  }

  // A run that continues the one on the page keeps the playhead; another one starts at its beginning.
  load(run) {
    const other = this.run?.id !== run.id;
    this.run = { ...run, tracks: run.tracks.map(decode) };
    this.waiting = false;
    clearTimeout(this.patience);
    if (other) {
      this.pause();
      this.told = this.step = run.at;
    }
    this.step = Math.min(this.step, run.last);
    this.scrub.max = run.last;
    this.drawRate();
    this.show();
    if (this.playing) this.tick();
  }

  // The rate is part of the player, for a change counts from the very step at which it is made.
  drawRate() {
    const { rate } = this.run;
    if (!rate) return;
    if (!this.rate) {
      const label = document.createElement("label");
      this.rate = document.createElement("input");
      this.rateText = document.createElement("output");
      Object.assign(this.rate, { type: "range", step: 1 });
      label.append(`${rate.label} `, this.rate, this.rateText);
      this.bar.append(label);
      this.rate.addEventListener("input", () => (this.rateText.textContent = this.rateAt().toPrecision(2)));
      this.rate.addEventListener("change", () => {
        this.request({ rate: Number(this.rateAt().toPrecision(2)), step: this.step });
      });
    }
    Object.assign(this.rate, { min: 0, max: rate.values.length - 1 });
    if (document.activeElement !== this.rate) {
      this.rate.value = rate.values.indexOf(rate.value);
      this.rateText.textContent = rate.value.toPrecision(2);
    }
  }

  rateAt() {
    return this.run.rate.values[Number(this.rate.value)];
  }

  play() {
    if (this.step >= this.run.last && !this.run.more) this.step = 0;
    this.playing = true;
    this.start.textContent = "pause";
    this.tick();
  }

  pause() {
    this.playing = false;
    clearTimeout(this.timer);
    this.rest();
    if (this.start) this.start.textContent = this.step ? "go on" : "start";
  }

  reset() {
    this.pause();
    this.go(0);
    this.start.textContent = "start";
    if (this.run.changed) this.request({ reset: true });
  }

  jump(steps) {
    this.pause();
    this.go(this.step + steps);
  }

  async tick() {
    clearTimeout(this.timer);
    if (!this.playing || this.waiting) return;
    const begun = performance.now();
    await this.go(this.step + this.speed);
    if (!this.playing) return;
    if (this.step >= this.run.last && !this.run.more) return this.pause();
    this.timer = setTimeout(() => this.tick(), Math.max(0, TICK_MS - (performance.now() - begun)));
  }

  // Past what is computed, Python is asked for the next burst; the playhead waits at the end.
  go(step) {
    if (step > this.run.last && this.run.more && !this.waiting) this.askForMore();
    this.step = Math.max(0, Math.min(step, this.run.last));
    return this.show();
  }

  rest() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      if (!this.run || this.playing || this.step === this.told) return;
      this.told = this.step;
      this.request({ at: this.step });
    }, REST_MS);
  }

  askForMore() {
    this.waiting = true;
    this.request({ more: this.run.last });
    this.patience = setTimeout(() => this.askForMore(), PATIENCE_MS);
  }

  request(wish) {
    this.ask({ ...wish, seq: ++this.seq });
  }

  show() {
    this.scrub.value = this.step;
    this.rest();
    const record = Math.floor(this.step / this.run.every);
    this.label.textContent = `step ${this.step} of ${this.run.last}`;
    return this.moved(this.step, this.run.captions?.[Math.min(record, this.run.captions.length - 1)]);
  }

  // What the playhead says of each figure: { key, traces: trace -> { attribute: value } }. Same key, same look.
  at(step) {
    const figures = new Map();
    for (const track of this.run.tracks) {
      const index = Math.min(Math.floor(step / track.every), track.shape[0] - 1);
      const value = track.prefix ? track.rows[0].slice(0, index + 1) : track.rows[index];
      if (!figures.has(track.figure)) figures.set(track.figure, { key: "", traces: new Map() });
      const figure = figures.get(track.figure);
      figure.key += `${index} `;
      figure.traces.set(track.trace, { ...figure.traces.get(track.trace), [track.attribute]: value });
    }
    return figures;
  }

  remove() {
    this.pause();
    clearTimeout(this.patience);
    this.run = null;
  }
}

// base64 float32 -> rows: [frame] -> number list or matrix; a prefix track is one list over all frames.
function decode(track) {
  const bytes = Uint8Array.from(atob(track.numbers), (char) => char.charCodeAt(0));
  const flat = new Float32Array(bytes.buffer);
  const [frames, ...rest] = track.shape;
  if (track.prefix) return { ...track, rows: [Array.from(flat)] };
  const size = rest.reduce((a, b) => a * b, 1);
  const rows = Array.from({ length: frames }, (_, f) => {
    const row = flat.subarray(f * size, (f + 1) * size);
    if (rest.length < 2) return Array.from(row);
    return Array.from({ length: rest[0] }, (_, r) => Array.from(row.subarray(r * rest[1], (r + 1) * rest[1])));
  });
  return { ...track, rows };
}
