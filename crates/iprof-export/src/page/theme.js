// Light or dark colors, which follow the system setting until the reader chooses.

const theme = document.documentElement.dataset;
const systemsDark = matchMedia("(prefers-color-scheme: dark)");
let isChosen = false;

function setDark(isDark) {
  theme.theme = isDark ? "dark" : "light";
}

find("#theme").addEventListener("click", () => {
  isChosen = true;
  setDark(theme.theme !== "dark");
});
systemsDark.addEventListener("change", () => isChosen || setDark(systemsDark.matches));
setDark(systemsDark.matches);
