// One picture a screen: the page's parts are grouped, each group ends with a picture, and one group shows at a time.

const PARTS = '.stMainBlockContainer > [data-testid="stVerticalBlock"]';
const OFF = "data-al-off"; // React knows nothing of this attribute and leaves it alone
const PICTURE = ".al-plot, .al-canvas";
const PAGES = '[data-testid="stSidebarNavLink"]';
const NEXT = ["ArrowRight", "PageDown"];
const BACK = ["ArrowLeft", "PageUp"];
const OWN_KEYS = "input, textarea, select, button, summary, a, [role], [tabindex]";

class Presenter {
  constructor(parent, leave) {
    this.at = 0;
    this.heights = new WeakMap(); // part -> its height when it was last in sight
    this.bar = document.createElement("nav");
    this.bar.className = "al-presenter";
    this.bar.setAttribute("aria-label", "Screens of this page");
    this.place = document.createElement("output");
    this.bar.append(
      this.button("‹", "previous screen", () => this.turn(-1)),
      this.place,
      this.button("›", "next screen", () => this.turn(1)),
      this.button("leave", "leave presenter mode", leave),
    );
    parent.append(this.bar);
    this.key = (event) => this.press(event);
    document.addEventListener("keydown", this.key);
    this.observer = new MutationObserver(() => this.show());
    document.documentElement.classList.add("al-presenting");
  }

  button(text, name, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.setAttribute("aria-label", name);
    made.addEventListener("click", act);
    return made;
  }

  update({ page }) {
    if (page !== this.page) this.at = 0;
    this.page = page;
    this.show();
  }

  // Arrow keys belong to a control that has the focus; a clicker's page keys turn wherever the focus is.
  press(event) {
    const busy = event.target.closest?.(OWN_KEYS) && !event.target.closest(".al-presenter");
    const paging = event.key.startsWith("Page");
    const by = NEXT.includes(event.key) ? 1 : BACK.includes(event.key) ? -1 : 0;
    if (!by || event.altKey || event.ctrlKey || event.metaKey || (busy && !paging)) return;
    event.preventDefault();
    this.turn(by);
  }

  // A picture takes the text before it along if both fit; else the text has a screen of its own.
  screens() {
    const screens = [[]];
    const room = this.main()?.clientHeight ?? 0;
    for (const part of document.querySelector(PARTS)?.children ?? []) {
      if (part.contains(this.bar) || part.querySelector("style")) continue;
      if (!part.hasAttribute(OFF)) this.heights.set(part, part.getBoundingClientRect().height);
      const ends = part.querySelector(PICTURE) !== null;
      const height = [...screens.at(-1), part].reduce((sum, each) => sum + (this.heights.get(each) ?? 0), 0);
      if (ends && height > room) screens.push([]);
      screens.at(-1).push(part);
      if (ends) screens.push([]);
    }
    return screens.filter((parts) => parts.some(({ textContent }) => textContent.trim()));
  }

  main() {
    return document.querySelector(".stMain");
  }

  // What is taller than the screen is read to its end first.
  turn(by) {
    const { scrollTop, clientHeight, scrollHeight } = this.main();
    const left = by > 0 ? scrollHeight - clientHeight - scrollTop : scrollTop;
    if (left > 8) return this.main().scrollBy(0, by * Math.min(left, 0.8 * clientHeight));
    const last = this.screens().length - 1;
    const at = this.at + by;
    if (at < 0 || at > last) return this.leaf(by);
    this.at = at;
    this.show();
    this.main().scrollTo(0, 0);
  }

  // The navigation is out of sight, but there.
  leaf(by) {
    const pages = [...document.querySelectorAll(PAGES)];
    const here = pages.findIndex((page) => page.getAttribute("aria-current") === "page");
    pages[here + by]?.click();
  }

  show() {
    this.observer.disconnect();
    const screens = this.screens();
    this.at = Math.max(0, Math.min(this.at, screens.length - 1));
    screens.forEach((parts, i) => parts.forEach((part) => part.toggleAttribute(OFF, i !== this.at)));
    this.place.textContent = `${this.at + 1} of ${screens.length}`;
    const parts = document.querySelector(PARTS);
    if (parts) this.observer.observe(parts, { childList: true, subtree: true });
  }

  remove() {
    this.observer.disconnect();
    document.removeEventListener("keydown", this.key);
    for (const part of document.querySelectorAll(`[${OFF}]`)) part.removeAttribute(OFF);
    document.documentElement.classList.remove("al-presenting");
    this.bar.remove();
  }
}

const shown = new WeakMap();

export default function ({ parentElement, data, setTriggerValue }) {
  if (!shown.has(parentElement)) {
    shown.set(parentElement, new Presenter(parentElement, () => setTriggerValue("leave", true)));
  }
  const presenter = shown.get(parentElement);
  presenter.update(data);
  return () => {
    presenter.remove();
    shown.delete(parentElement);
  };
}
