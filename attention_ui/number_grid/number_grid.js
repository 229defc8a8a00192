// Matrices of number fields. A field that is being typed in is left alone; what is not a number is not sent.

const grids = new WeakMap();

const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text; // never innerHTML: words are words
  return element;
};

class Grids {
  constructor(parent) {
    this.root = make("div", "al-grids");
    this.note = make("p", "al-grids-note");
    this.note.setAttribute("role", "status");
    parent.append(this.root, this.note);
    this.seq = 0;
    this.sent = 0;
  }

  update(data) {
    this.limit = data.limit;
    this.seq = Math.max(this.seq, data.seq);
    const shape = JSON.stringify(data.grids.map(({ values, ...rest }) => rest));
    if (shape !== this.shape) this.build(data.grids, shape);
    if (data.seq < this.sent) return; // an answer to an older edit
    data.grids.forEach(({ values }, g) => values.flat().forEach((value, i) => {
      const field = this.fields[g][i];
      field.dataset.value = value;
      if (document.activeElement !== field) field.value = value;
    }));
  }

  build(list, shape) {
    this.shape = shape;
    this.list = list;
    this.fields = [];
    this.root.replaceChildren(...list.map((grid) => this.table(grid)));
  }

  table({ label, role, rows, columns, values }) {
    const table = make("table", `al-grid al-role-${role}`);
    table.append(make("caption", "", label));
    const head = table.createTHead().insertRow();
    for (const column of ["", ...columns]) {
      const cell = make(column ? "th" : "td", "", column);
      if (column) cell.scope = "col";
      head.append(cell);
    }
    const fields = [];
    const body = table.createTBody();
    rows.forEach((row, r) => {
      const line = body.insertRow();
      const name = make("th", "", row);
      name.scope = "row";
      line.append(name);
      values[r].forEach((value, c) => {
        const field = make("input");
        Object.assign(field, { type: "number", step: "any", value, inputMode: "decimal" });
        field.dataset.value = value;
        field.setAttribute("aria-label", `${label}, ${row}, ${columns[c]}`);
        field.addEventListener("input", () => this.edit(field));
        field.addEventListener("blur", () => this.leave(field));
        fields.push(field);
        line.insertCell().append(field);
      });
    });
    this.fields.push(fields);
    const scroller = make("div", "al-grid-scroll");
    scroller.append(table);
    return scroller;
  }

  // What was no number gives way to the last one.
  leave(field) {
    const typed = field.value.trim() === "" ? NaN : Number(field.value);
    if (!Number.isFinite(typed)) this.note.textContent = "";
    field.value = field.dataset.value;
  }

  edit(field) {
    const value = field.value.trim() === "" ? NaN : Number(field.value);
    if (!Number.isFinite(value)) {
      this.note.textContent = "Waiting for a number; the last one still counts.";
      return;
    }
    const held = Math.max(-this.limit, Math.min(this.limit, value));
    this.note.textContent = held === value ? "" : `Held to ±${this.limit}.`;
    field.dataset.value = held + 0; // no minus zero
    this.sent = ++this.seq;
    const values = Object.fromEntries(this.list.map(({ id, columns }, g) => {
      const flat = this.fields[g].map((other) => Number(other.dataset.value));
      const rows = [];
      for (let i = 0; i < flat.length; i += columns.length) rows.push(flat.slice(i, i + columns.length));
      return [id, rows];
    }));
    this.send({ seq: this.seq, values });
  }
}

export default function ({ parentElement, data, setStateValue }) {
  let grid = grids.get(parentElement);
  if (!grid) {
    grid = new Grids(parentElement);
    grids.set(parentElement, grid);
  }
  grid.send = (edit) => setStateValue("edit", edit);
  grid.update(data);
  return () => {
    grid.root.remove();
    grid.note.remove();
    grids.delete(parentElement);
  };
}
