// An address to copy and its QR code; a click on the code fills the screen with it.

const QUIET = 4; // modules of white around a QR code, which scanners need

function make(name, className, text = "") {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

function drawCode(code, modules) {
  const path = modules
    .flatMap((row, y) => [...row].map((dark, x) => (dark === "1" ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  const side = modules.length + 2 * QUIET;
  code.innerHTML = `<svg viewBox="${-QUIET} ${-QUIET} ${side} ${side}" shape-rendering="crispEdges" aria-hidden="true">
    <path d="${path}"/></svg>`;
}

// Outside https a browser offers no clipboard; then what is selected is copied the old way.
async function copy(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}

class Share {
  constructor(parent) {
    this.root = make("div", "al-share");
    this.field = make("input", "al-share-address");
    Object.assign(this.field, { readOnly: true, type: "text" });
    this.field.setAttribute("aria-label", "The link");
    this.field.addEventListener("focus", () => this.field.select());
    this.button = make("button", "al-share-copy", "Copy the link");
    this.button.type = "button";
    this.said = make("span", "al-share-said");
    this.said.setAttribute("role", "status");
    this.button.addEventListener("click", async () => {
      const copied = await copy(this.field);
      this.said.textContent = copied ? "Copied." : "This browser does not copy; the link is selected for you.";
    });
    this.code = make("button", "al-share-code");
    this.code.type = "button";
    this.code.setAttribute("aria-label", "QR code of the link. Press to fill the screen with it, and again to go back.");
    this.code.addEventListener("click", () => {
      if (document.fullscreenElement) document.exitFullscreen();
      else this.code.requestFullscreen?.();
    });
    this.note = make("p", "al-share-note");
    const row = make("div", "al-share-row");
    row.append(this.field, this.button, this.said);
    this.root.append(row, this.code, this.note);
    parent.append(this.root);
  }

  update({ address, modules }) {
    if (this.field.value !== address) this.said.textContent = "";
    this.field.value = address;
    this.code.hidden = !modules.length;
    if (modules.length) drawCode(this.code, modules);
    this.note.textContent = modules.length
      ? "Press the code to fill the screen with it."
      : "This link is too long for a QR code. Copied, it works.";
  }
}

const shown = new WeakMap();

export default function ({ parentElement, data }) {
  if (!shown.has(parentElement)) shown.set(parentElement, new Share(parentElement));
  const share = shown.get(parentElement);
  share.update(data);
  return () => {
    share.root.remove();
    shown.delete(parentElement);
  };
}
