// A formula of buttons. A symbol that is pointed at, focused or tapped names its part to all pictures.

const formulas = new WeakMap();

function light(part) {
  document.dispatchEvent(new CustomEvent("attention-lab:light", { detail: part }));
  for (const element of document.querySelectorAll("[data-part]")) {
    element.classList.toggle("al-lit", Boolean(part) && element.dataset.part === part);
  }
}

function draw(root, { symbols, hint }) {
  const line = document.createElement("div");
  line.className = "al-formula-line";
  const says = document.createElement("p");
  says.className = "al-formula-says";
  says.setAttribute("aria-live", "polite");
  says.textContent = hint;
  let held = null; // the symbol that was tapped stays lit until it is tapped again
  const choose = (symbol) => {
    says.textContent = symbol ? symbol.says : hint;
    light(symbol ? symbol.part : null);
  };
  for (const symbol of symbols) {
    const piece = document.createElement(symbol.part ? "button" : "span");
    piece.textContent = symbol.text;
    piece.className = "al-formula-sign";
    if (symbol.part) {
      piece.type = "button";
      piece.className = `al-formula-symbol al-role-${symbol.part}`;
      piece.setAttribute("aria-pressed", "false");
      piece.addEventListener("pointerenter", (event) => event.pointerType === "mouse" && choose(symbol));
      piece.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && choose(held));
      piece.addEventListener("focus", () => piece.matches(":focus-visible") && choose(symbol));
      piece.addEventListener("blur", () => choose(held));
      piece.addEventListener("click", () => {
        held = held === symbol ? null : symbol;
        for (const other of line.querySelectorAll("button")) other.setAttribute("aria-pressed", "false");
        piece.setAttribute("aria-pressed", String(held === symbol));
        choose(held);
      });
    }
    line.append(piece);
  }
  root.replaceChildren(line, says);
}

export default function ({ parentElement, data }) {
  let root = formulas.get(parentElement);
  if (!root) {
    root = document.createElement("div");
    root.className = "al-formula";
    formulas.set(parentElement, root);
    parentElement.append(root);
  }
  draw(root, data);
  return () => {
    light(null);
    root.remove();
    formulas.delete(parentElement);
  };
}
