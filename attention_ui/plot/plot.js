// Hosts one or several Plotly figures and updates them in place. The browser knows no maths:
// every number, label and colour arrives from Python.

const CONFIG = { displaylogo: false, scrollZoom: false, doubleClick: false, modeBarButtons: [["toImage"]] };

// One script element a page, shared by all pictures.
function loadPlotly() {
  window.attentionLabPlotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL("plotly.min.js", document.baseURI);
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      window.attentionLabPlotly = undefined; // the next picture tries again
      reject(new Error("plotly.min.js did not load"));
    };
    document.head.append(script);
  });
  return window.attentionLabPlotly;
}

function make(tag, className, text) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text; // never innerHTML: words are words
  return element;
}

class Picture {
  constructor(parent) {
    this.root = make("figure", "al-plot");
    this.row = make("div", "al-plot-row");
    this.caption = make("figcaption", "al-plot-caption");
    this.bar = make("div", "al-plot-bar");
    this.panel = make("div", "al-plot-panel");
    this.panel.hidden = true;
    this.charts = [];
    this.open = null; // which panel is open: "table", "program" or null
    this.addButtons();
    this.root.append(this.row, this.caption, this.bar, this.panel);
    parent.append(this.root);
    this.resizer = new ResizeObserver(() => this.resize());
    this.light = (event) => this.lightUp(event.detail);
    document.addEventListener("attention-lab:light", this.light);
    // Streamlit's menu changes the theme without a run of the script, where the figures' colours come from:
    // the page's last picture asks for one; an earlier one may stand in a fragment, which would run alone.
    // plot.css gives the hairline a transition, so that a change is told.
    this.root.addEventListener("transitionend", ({ target, propertyName }) => {
      const last = [...document.querySelectorAll(".al-plot")].at(-1) === this.root;
      if (last && target === this.root && propertyName === "border-top-color") {
        this.tell("hairline", getComputedStyle(this.root).borderTopColor);
      }
    });
  }

  addButtons() {
    const button = (name, label, act) => {
      const made = make("button", "al-plot-button", label);
      made.type = "button";
      made.dataset.panel = name;
      made.addEventListener("click", act);
      this.bar.append(made);
    };
    button("table", "table", () => this.toggle("table"));
    button("csv", "csv", () => this.download());
    button("program", "the numpy for this picture", () => this.toggle("program"));
  }

  update(data, player) {
    this.data = data;
    if (data.play) this.load({ ...data.play, ...player });
    this.root.dataset.picture = data.key;
    this.root.setAttribute("aria-label", data.name);
    this.caption.textContent = data.caption;
    if (this.open) this.fillPanel();
    this.work();
  }

  // A recorded run gets a bar of its own and moves the figures; its captions follow the playhead.
  load(run) {
    if (!this.player) {
      const bar = make("div", "al-player");
      this.row.before(bar);
      const moved = (step, caption) => {
        if (caption) this.caption.textContent = caption;
        this.moved = true;
        return this.work();
      };
      this.player = new Player(bar, moved, (wish) => this.tell("play", wish));
    }
    this.player.load(run);
  }

  // Draws until the newest message is on the page. One drawing at a time: Plotly's are not to be interrupted.
  work() {
    this.working ??= this.drawAll().finally(() => {
      this.working = null;
      if (this.gone) this.purge();
    });
    return this.working;
  }

  async drawAll() {
    while (!this.gone && (this.drawn !== this.data || this.resized || this.moved)) {
      const { data } = this;
      const fresh = this.drawn !== data;
      if (fresh) this.layOut(data);
      const resized = this.resized && !fresh;
      this.resized = this.moved = false;
      const frame = this.player?.at(this.player.step);
      try {
        const Plotly = await loadPlotly();
        delete this.row.dataset.failed;
        for (const [i, chart] of this.charts.entries()) {
          if (resized && chart.clientWidth) await this.refit(Plotly, chart, data.figures[i], i, frame?.get(i));
          else if (fresh) await this.draw(Plotly, chart, data.figures[i], i, frame?.get(i));
          else if (frame?.has(i)) await this.move(Plotly, chart, frame.get(i));
          if (fresh) this.speak(chart, data.alt[i]);
          this.ink(chart);
        }
        if (fresh && this.lit) this.lightUp(this.lit);
      } catch (error) {
        this.row.dataset.failed = "This picture could not be drawn. Reload the page; the table below still works.";
        console.warn(error);
      }
      this.drawn = data;
      if (fresh) this.root.dataset.drawn = Number(this.root.dataset.drawn ?? 0) + 1;
    }
  }

  // One box a figure, with the sign that joins it to the next. Boxes are added and removed at the end only.
  layOut(data) {
    while (this.charts.length > data.figures.length) {
      const chart = this.charts.pop();
      this.resizer.unobserve(chart);
      window.Plotly?.purge(chart);
      chart.remove();
      this.row.lastElementChild?.remove(); // its joint
    }
    while (this.charts.length < data.figures.length) {
      if (this.charts.length) this.row.append(make("div", "al-plot-joint"));
      const chart = make("div", "al-plot-chart");
      this.row.append(chart);
      this.charts.push(chart);
      this.resizer.observe(chart);
    }
    this.row.querySelectorAll(".al-plot-joint").forEach((joint, i) => (joint.textContent = data.joints[i]));
    data.figures.forEach((figure, i) => {
      this.charts[i].style.height = `${figure.layout.height}px`; // reserved before Plotly is there
      const width = figure.layout.meta?.width ?? 280; // narrow grids leave room for wide ones
      this.charts[i].style.flex = `${width} 1 ${width}px`;
      this.charts[i].style.maxWidth = figure.layout.meta?.most ? `${figure.layout.meta.most}px` : "";
    });
  }

  // Plotly's lowest layer is the image with its name. The chart itself is none: it holds buttons.
  speak(chart, alt) {
    const [image, ...others] = chart.querySelectorAll("svg");
    image.setAttribute("role", "img");
    image.setAttribute("aria-label", alt);
    for (const other of others) other.setAttribute("aria-hidden", true);
  }

  // Numbers in cells: one ink for the cells from low to high, another for the deeper ones. Plotly has one for all,
  // or grey and white, neither of which can be read on some of the colours between.
  ink(chart) {
    chart.querySelectorAll(".heatmaplayer .hm").forEach((cells, i) => {
      const inks = chart.data.filter(({ type }) => type === "heatmap")[i].meta?.inks;
      if (!inks) return;
      for (const text of cells.querySelectorAll(".heatmap-label text")) {
        const { z } = text.__data__; // d3 keeps the label's cell with it
        text.style.fill = inks.low <= z && z <= inks.high ? inks.near : inks.far;
      }
    });
  }

  async draw(Plotly, chart, figure, i, frame) {
    const text = JSON.stringify(figure) + (frame?.key ?? "");
    if (chart.text === text) return; // most changes leave some figures as they are
    const layout = { ...structuredClone(figure.layout), width: undefined, autosize: true }; // Plotly changes its ranges
    chart.config ??= this.config(Plotly, i); // the same object: for another one Plotly starts the chart anew
    const traces = figure.data.map((trace, t) => ({ ...trace, ...frame?.traces.get(t) }));
    await Plotly.react(chart, traces, layout, chart.config);
    chart.text = text;
    chart.key = frame?.key;
  }

  // Axes of one unit are widened by Plotly to fill their box, and never narrowed again: such a plane is drawn anew.
  refit(Plotly, chart, figure, i, frame) {
    if (!figure.layout.yaxis?.scaleanchor) return Plotly.Plots.resize(chart);
    chart.text = null;
    return this.draw(Plotly, chart, figure, i, frame);
  }

  // A step of a run replaces a few attributes, which is cheaper than drawing the figure anew.
  async move(Plotly, chart, frame) {
    if (chart.key === frame.key) return;
    for (const [trace, values] of frame.traces) {
      await Plotly.restyle(chart, Object.fromEntries(Object.entries(values).map(([name, v]) => [name, [v]])), [trace]);
    }
    chart.key = frame.key;
    chart.text = null;
  }

  config(Plotly, i) {
    const svg = {
      name: "svg",
      title: "Download as SVG",
      icon: Plotly.Icons.disk,
      click: (gd) => Plotly.downloadImage(gd, { format: "svg", filename: this.fileName(i) }),
    };
    const toImageButtonOptions = { format: "png", scale: 2, filename: this.fileName(i) };
    return { ...CONFIG, modeBarButtons: [["toImage", svg]], toImageButtonOptions };
  }

  fileName(i) {
    return this.data.file + (this.data.figures.length > 1 ? `-${i + 1}` : "");
  }

  resize() {
    const changed = (chart) => chart._fullLayout && chart.clientWidth && chart._fullLayout.width !== chart.clientWidth;
    if (!this.charts.some(changed)) return;
    this.resized = true;
    this.work();
  }

  // The formula names a part: what plays that part keeps its colour, the rest steps back.
  lightUp(part) {
    this.lit = part;
    for (const chart of this.charts) {
      if (!chart.data?.length) continue;
      const plays = chart.data.map((trace) => trace.meta?.part === part);
      const groups = chart.querySelectorAll(".heatmaplayer .hm, .scatterlayer .trace"); // in the order of the data
      const any = part && plays.some(Boolean);
      chart.classList.toggle("al-plot-lit", Boolean(any));
      chart.classList.toggle("al-plot-dim", Boolean(part) && !any);
      // A class, since Plotly keeps a trace's own opacity in its style.
      groups.forEach((group, i) => group.classList.toggle("al-plot-faded", Boolean(any) && !plays[i]));
    }
  }

  toggle(panel) {
    this.open = this.open === panel ? null : panel;
    for (const button of this.bar.children) {
      if (button.dataset.panel !== "csv") button.setAttribute("aria-expanded", this.open === button.dataset.panel);
    }
    this.panel.hidden = !this.open;
    if (this.open) this.fillPanel();
  }

  fillPanel() {
    const focused = this.panel.contains(document.activeElement); // stays with whoever reads there
    this.panel.replaceChildren(this.open === "table" ? this.table() : this.program());
    if (focused) this.panel.querySelector("[tabindex]").focus({ preventScroll: true });
  }

  table() {
    const scroller = make("div", "al-plot-scroll");
    scroller.tabIndex = 0; // wide tables scroll by keyboard too
    scroller.setAttribute("role", "region");
    scroller.setAttribute("aria-label", `${this.data.name}: table`);
    const table = make("table");
    const head = table.createTHead().insertRow();
    for (const column of this.data.table.columns) {
      const cell = make("th", "", column);
      cell.scope = "col";
      head.append(cell);
    }
    const body = table.createTBody();
    for (const row of this.data.table.rows) {
      const line = body.insertRow();
      row.forEach((value, i) => {
        const cell = make(i ? "td" : "th", "", value);
        if (!i) cell.scope = "row";
        line.append(cell);
      });
    }
    scroller.append(table);
    return scroller;
  }

  program() {
    const box = make("div", "al-plot-program");
    const code = make("pre", "", this.data.program);
    code.tabIndex = 0;
    code.setAttribute("aria-label", "numpy program");
    const copy = make("button", "al-plot-button", "copy");
    copy.type = "button";
    copy.addEventListener("click", async () => {
      const range = document.createRange();
      range.selectNodeContents(code);
      getSelection().removeAllRanges();
      getSelection().addRange(range); // without a clipboard (plain http) the text stands selected
      try {
        await navigator.clipboard.writeText(this.data.program);
        copy.textContent = "copied";
      } catch {
        copy.textContent = "selected: press Ctrl+C";
      }
    });
    box.append(copy, code);
    return box;
  }

  download() {
    const link = make("a");
    link.href = URL.createObjectURL(new Blob(["\ufeff", this.data.csv], { type: "text/csv" }));
    link.download = `${this.data.file}.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  }

  remove() {
    this.gone = true;
    this.player?.remove();
    this.resizer.disconnect();
    document.removeEventListener("attention-lab:light", this.light);
    this.root.remove();
    if (!this.working) this.purge();
  }

  purge() {
    for (const chart of this.charts) window.Plotly?.purge(chart);
  }
}

const shown = new WeakMap();

export default function ({ parentElement, data, setStateValue }) {
  if (!shown.has(parentElement)) {
    parentElement.append(make("div"));
    shown.set(parentElement, []);
  }
  const group = parentElement.lastElementChild;
  const pictures = shown.get(parentElement);
  group.className = `al-plots al-plots-${data.layout}`;
  while (pictures.length > data.pictures.length) pictures.pop().remove();
  while (pictures.length < data.pictures.length) pictures.push(new Picture(group));
  pictures.forEach((picture, i) => {
    picture.tell = setStateValue;
    picture.update(data.pictures[i], data.player);
  });
  return () => {
    for (const picture of pictures) picture.remove();
    group.remove();
    shown.delete(parentElement);
  };
}
