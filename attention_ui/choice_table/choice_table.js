// A table whose rows can be chosen: the first cell of each is a button.

const tables = new WeakMap();

const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text; // never innerHTML: words are words
  return element;
};

function draw(table, { columns, rows, chosen, label }, choose) {
  table.setAttribute("aria-label", label);
  const head = make("thead");
  const line = head.appendChild(make("tr"));
  for (const column of columns) {
    const cell = make("th", "", column);
    cell.scope = "col";
    line.append(cell);
  }
  const body = make("tbody");
  rows.forEach((row, r) => {
    const tr = make("tr", r === chosen ? "chosen" : "");
    tr.addEventListener("click", () => choose(r));
    row.forEach((text, c) => {
      const cell = make(c ? "td" : "th");
      if (c) cell.textContent = text;
      else {
        cell.scope = "row";
        const button = make("button", "", text);
        button.type = "button";
        button.setAttribute("aria-pressed", String(r === chosen));
        cell.append(button);
      }
      tr.append(cell);
    });
    body.append(tr);
  });
  const focused = [...table.querySelectorAll("button")].indexOf(document.activeElement);
  table.replaceChildren(head, body);
  table.querySelectorAll("button")[focused]?.focus();
}

export default function ({ parentElement, data, setTriggerValue }) {
  let scroller = tables.get(parentElement);
  if (!scroller) {
    scroller = make("div", "al-choice");
    scroller.append(make("table"));
    parentElement.append(scroller);
    tables.set(parentElement, scroller);
  }
  draw(scroller.firstElementChild, data, (row) => setTriggerValue("row", row));
  return () => {
    scroller.remove();
    tables.delete(parentElement);
  };
}
