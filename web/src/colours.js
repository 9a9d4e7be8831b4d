// The colours of pictures, by role, in both schemes. Lines have a contrast of at least 4.5 to the paper.

const COLOURS = {
  light: {
    paper: "#ffffff", ink: "#1c2530", faint: "#dfe4ea", axis: "#5b6672",
    first: "#0b5fa5", second: "#b3430b", third: "#227a3a", fourth: "#7a3fb0", asked: "#c0203a",
    shade: "rgba(11, 95, 165, 0.09)", trainable: "#bfe3c6", rank: "#b9d4ee", gradients: "#f6cfb2", rate: "#e3cdf2", entropy: "#f3e6a4", several: "#cfcfd6",
  },
  dark: {
    paper: "#171c22", ink: "#e6ebf0", faint: "#2d3640", axis: "#a3aebb",
    first: "#6fb7f2", second: "#f2a069", third: "#7fd18f", fourth: "#c6a2ee", asked: "#ff8a9a",
    shade: "rgba(111, 183, 242, 0.14)", trainable: "#23553a", rank: "#1f4468", gradients: "#6d4020", rate: "#54356e", entropy: "#5c5418", several: "#494952",
  },
};
const darkness = matchMedia("(prefers-color-scheme: dark)");
const colours = () => (darkness.matches ? COLOURS.dark : COLOURS.light);
