"""Work that is stopped in Python: by the progress function, by its exceptions, by Ctrl-C.

Run by ctest; by hand: PYTHONPATH=python IRENEO_LIBRARY=build/libireneo.so python3 tests/python/interrupts.py"""

import os
import signal
import subprocess
import sys
import threading
import unittest

import ireneo
from ireneo.progress import Watch


class InterruptTest(unittest.TestCase):
    """Work that is stopped. The instance is far from done when the first reports come."""

    @classmethod
    def setUpClass(cls):
        cls.keys, cls.values = ireneo.sample(100, facts=1150, seed=2)

    def setUp(self):
        """Python's own handler, also when the tests run in the background of a shell, which ignores SIGINT there."""
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

    def test_progress_stops_and_work_goes_on(self):
        calls = []

        def stop_later(stage, done, total):
            calls.append((stage, done, total))
            return len(calls) >= 12

        memory, info = ireneo.store(self.keys, self.values, threads=1, progress=stop_later)
        self.assertEqual(info.status, "interrupted")
        self.assertLess(info.recalled, 1150)
        self.assertTrue(all(isinstance(stage, str) and 0 <= done <= total for stage, done, total in calls))
        _, again = ireneo.store(self.keys[:1000], self.values[:1000], initial=memory, threads=1)
        self.assertEqual(again.status, "stored")

    def test_exceptions_pass_through(self):
        def fail(stage, done, total):
            raise RuntimeError("from the callback")

        with self.assertRaisesRegex(RuntimeError, "from the callback"):
            ireneo.store(self.keys, self.values, threads=1, progress=fail)

    def test_keyboard_interrupt(self):
        reports = []

        def press_control_c(stage, done, total):
            reports.append(stage)
            if len(reports) == 5:
                os.kill(os.getpid(), signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt) as caught:
            ireneo.store(self.keys, self.values, threads=1, progress=press_control_c)
        self.assertIsInstance(caught.exception, ireneo.Interrupted)
        self.assertEqual(caught.exception.memory.W.shape, (100, 100))
        self.assertEqual(caught.exception.info.status, "interrupted")
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def at_every_report(self, what, call):
        """SIGINT at the first report, at the second, ... and at the last, whatever comes after it."""
        seen = at = 0

        def press_control_c(stage, done, total):
            nonlocal seen
            seen += 1
            if seen == at:
                os.kill(os.getpid(), signal.SIGINT)

        while True:
            at, seen = at + 1, 0
            try:
                call(press_control_c)
            except KeyboardInterrupt:
                self.assertGreaterEqual(seen, at)
                continue
            self.assertLess(seen, at, f"{what}: Ctrl-C at report {at} of {seen} was lost")
            break
        self.assertGreater(at, 1, f"{what} reports nothing")

    def test_no_interrupt_is_lost(self):
        keys, values = ireneo.sample(12, facts=20, seed=2)
        memory, _ = ireneo.store(keys, values, threads=1)
        calls = {
            "store": lambda press: ireneo.store(keys, values, threads=1, progress=press),
            "train": lambda press: ireneo.train(keys, values, max_steps=20, threads=1, progress=press),
            "max_margin": lambda press: ireneo.max_margin(keys, values, threads=1, progress=press),
            "check": lambda press: memory.check(keys, values, threads=1, progress=press),
            "check_noise": lambda press: memory.check_noise(keys, values, strength=0.1, threads=1, progress=press),
            "dense.recall": lambda press: ireneo.dense.recall(keys, keys[:3], lambda_=1.0, progress=press),
            "dense.simulate": lambda press: ireneo.dense.simulate(20, alpha=0.1, lambda_=1.0, draws=5, progress=press),
        }
        for what, call in calls.items():
            with self.subTest(what):
                self.at_every_report(what, call)

    def test_interrupt_after_the_last_report(self):
        """A signal that Python only sees when C has returned."""
        for code in (0, 6):
            with self.assertRaises(ireneo.Interrupted):
                with Watch() as watch:
                    os.kill(os.getpid(), signal.SIGINT)
                watch.finish(code)
        with self.assertRaises(ireneo.Interrupted) as caught:
            with Watch():
                os.kill(os.getpid(), signal.SIGINT)
                raise ValueError("on the way to the call")
        self.assertIsInstance(caught.exception.__cause__, ValueError)

    def test_exception_of_the_last_report(self):
        """A callback may fail at any report; the last one is followed by nothing that could be stopped."""
        keys, values = ireneo.sample(12, facts=20, seed=2)
        memory, _ = ireneo.store(keys, values, threads=1)
        reports = []
        memory.check(keys, values, threads=1, progress=lambda *report: reports.append(report))

        def fail_at_last(stage, done, total):
            if (stage, done, total) == reports[-1]:
                raise RuntimeError("at the last report")

        with self.assertRaisesRegex(RuntimeError, "at the last report"):
            memory.check(keys, values, threads=1, progress=fail_at_last)

    def test_handlers_of_others(self):
        """What another handler of SIGINT raises passes through; one that only takes note lets the work go on."""
        noted = []

        def press_control_c(stage, done, total):
            if not noted:
                os.kill(os.getpid(), signal.SIGINT)

        def raising(number, frame):
            noted.append(number)
            raise TimeoutError("from the handler")

        keys, values = ireneo.sample(12, facts=20, seed=2)
        signal.signal(signal.SIGINT, raising)
        with self.assertRaisesRegex(TimeoutError, "from the handler"):
            ireneo.store(keys, values, threads=1, progress=press_control_c)
        self.assertIs(signal.getsignal(signal.SIGINT), raising)
        noted.clear()
        signal.signal(signal.SIGINT, lambda number, frame: noted.append(number))
        _, info = ireneo.store(keys, values, threads=1, progress=press_control_c)
        self.assertEqual((info.status, noted), ("stored", [signal.SIGINT]))

    def test_keyboard_interrupt_from_outside(self):
        """Stores one after the other, without a callback: the one that Ctrl-C falls into is the last."""
        program = (
            "import ireneo, signal\n"
            "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "k, v = ireneo.sample(100, facts=1185, seed=2)\n"
            "try:\n"
            "    print('ready', flush=True)\n"
            "    while True: ireneo.store(k, v, threads=1)\n"
            "except KeyboardInterrupt as stop: print(type(stop).__name__)\n"
        )
        pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with subprocess.Popen([sys.executable, "-c", program], start_new_session=True, **pipes) as child:
            try:
                self.assertEqual(child.stdout.readline(), "ready\n")
                child.send_signal(signal.SIGINT)
                out, err = child.communicate(timeout=300)
            finally:
                if child.poll() is None:
                    os.killpg(child.pid, signal.SIGKILL)
        self.assertEqual((child.returncode, err), (0, ""))
        self.assertIn(out, ("Interrupted\n", "KeyboardInterrupt\n"))

    def test_other_threads(self):
        """Off the main thread there are no signals to watch; the work is the same."""
        outcome = []
        keys, values = self.keys[:200], self.values[:200]
        worker = threading.Thread(target=lambda: outcome.append(ireneo.store(keys, values, threads=1)[1].status))
        worker.start()
        worker.join(60)
        self.assertEqual(outcome, ["stored"])


if __name__ == "__main__":
    unittest.main()
