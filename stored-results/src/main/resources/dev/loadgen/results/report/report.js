// Shows at once what a browser shows of a part of a chart after a while. The report needs none of it.
const reading = document.createElement("div");
reading.id = "reading";
reading.setAttribute("aria-hidden", "true");
document.body.append(reading);
const texts = new WeakMap();
for (const cell of document.querySelectorAll(".cells rect")) {
  texts.set(cell, cell.textContent);
  cell.replaceChildren();
}
document.addEventListener("pointermove", (event) => {
  const text = texts.get(event.target);
  reading.style.display = text ? "block" : "none";
  if (!text) return;
  reading.textContent = text;
  const left = event.pageX + 14;
  const room = document.documentElement.clientWidth - reading.offsetWidth - 8;
  reading.style.left = (left > room ? Math.max(4, event.pageX - reading.offsetWidth - 14) : left) + "px";
  reading.style.top = event.pageY + 14 + "px";
});
