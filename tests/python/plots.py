"""ireneo.plots: the lines are the numbers of the library, and the pictures can be written.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/plots.py"""

import importlib.util
import io
import subprocess
import sys
import unittest

import numpy as np

import ireneo

if importlib.util.find_spec("matplotlib"):
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot

    import ireneo.plots


class MissingTest(unittest.TestCase):
    def test_sentence(self):
        program = "import sys; sys.modules['matplotlib'] = None; import ireneo, ireneo.plots"
        run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertIn("ImportError: ireneo.plots needs Matplotlib", run.stderr.strip().split("\n")[-1])


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "Matplotlib is not installed")
class PlotsTest(unittest.TestCase):
    def drawn(self, ax):
        """The picture can be written; its text."""
        out = io.StringIO()
        with matplotlib.rc_context({"svg.fonttype": "none"}):
            ax.figure.savefig(out, format="svg")
        matplotlib.pyplot.close(ax.figure)
        return out.getvalue()

    def test_capacity(self):
        law = ireneo.capacity(100).facts_capacity
        ax = ireneo.plots.capacity([50, 100, 200], facts=0.999 * law)
        self.assertAlmostEqual(ax.lines[0].get_ydata()[1], law)
        self.assertEqual(len(ax.lines), 4)
        self.assertIn("facts: d = 100", self.drawn(ax))
        ax = ireneo.plots.capacity([70, 100], rank=60)
        self.assertAlmostEqual(ax.lines[0].get_ydata()[1], ireneo.capacity(100, rank=60).facts_capacity)
        self.assertIn("rank 60", self.drawn(ax))
        self.assertRaisesRegex(ireneo.ArgumentError, "below the rank", ireneo.plots.capacity, [50, 100], rank=60)

    def test_phases(self):
        for ensemble in ("spherical", "gaussian", "binary"):
            ax = ireneo.plots.phases([0.5, 1.0, 2.0], ensemble=ensemble)
            self.assertAlmostEqual(ax.lines[0].get_ydata()[1], ireneo.dense.phases(1.0, ensemble=ensemble).alpha_1)
            self.assertIn(ensemble, self.drawn(ax))

    def test_trainability(self):
        betas, residuals = np.linspace(0.2, 3.0, 8), np.linspace(0.2, 2.0, 7)
        diagram = ireneo.attention.trainability(betas, residuals, layers=12)
        given, made = ireneo.plots.trainability(diagram), ireneo.plots.trainability(betas=betas, residuals=residuals, layers=12)
        for ax in (given, made):
            self.assertEqual(ax.lines[0].get_ydata().tolist(), diagram.rank_line.tolist())
            self.assertEqual((ax.collections[0].get_array().ravel() == 0).sum(), diagram.trainable.sum())
        self.assertEqual(len(made.lines) - len(given.lines), 1)  # the cross
        for ax in (given, made):
            self.assertIn("rank collapse", self.drawn(ax))
        self.assertRaises(ireneo.ArgumentError, ireneo.plots.trainability, diagram, betas=[1.0])

    def test_axes_of_the_caller(self):
        _, axes = matplotlib.pyplot.subplots(1, 2)
        self.assertIs(ireneo.plots.phases([0.5, 1.0], ax=axes[1]), axes[1])
        self.drawn(axes[1])


if __name__ == "__main__":
    unittest.main()
