// Drawings of trees, made before the page was; each is read when it is opened.

const DRAWN = new Set(["svg", "title", "desc", "style", "g", "rect", "path", "circle", "text", "tspan"]);
const opened = new Set(["RST tree"]);

function drawing(svg) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  for (const part of parsed.querySelectorAll("*")) if (!DRAWN.has(part.localName)) part.remove();
  return document.importNode(parsed, true);
}

function showDrawings(container, drawings) {
  container.replaceChildren(
    ...Object.entries(drawings).map(([title, svg]) => {
      const region = element("div", { class: "scroll", role: "region", "aria-label": title, tabindex: "0" });
      const folded = element("details", {}, element("summary", {}, title), region);
      folded.addEventListener("toggle", () => {
        if (folded.open && !region.firstChild) region.append(drawing(svg));
        opened[folded.open ? "add" : "delete"](title);
      });
      folded.open = opened.has(title);
      return folded;
    }),
  );
}
