// Scrolls to the part that the address names after its #, once the page has its style; gives up after 5 seconds.
const STEP_MS = 50;
const MOST_STEPS = 100;

export default function scrollToName() {
  const name = window.location.hash.slice(1);
  let steps = 0;
  const timer = setInterval(() => {
    steps += 1;
    const target = name && document.getElementById(name);
    const app = document.querySelector(".stApp");
    const styled = app && getComputedStyle(app).getPropertyValue("--al-card") !== "";
    if (target && styled) target.scrollIntoView();
    if (!name || steps > MOST_STEPS || (target && styled)) clearInterval(timer);
  }, STEP_MS);
  return () => clearInterval(timer);
}
