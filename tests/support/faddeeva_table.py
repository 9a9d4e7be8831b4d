"""Writes tests/support/faddeeva_table.h: reference values of w(z) and erfcx by mpmath, 40 digits, printed with 20.

Near the origin exp(-z^2) erfc(-iz) with digits to spare for what cancels; beyond |z| = 30 the expansion in 1/z, whose
terms fall below 1e-36 there. Only needed when the table changes: python3 faddeeva_table.py > faddeeva_table.h
"""

from mpmath import erfc, exp, mp, mpc, mpf, nstr, pi, sqrt


def w(z):
    if abs(z) > 30:
        total, term = mpc(0), mpc(1)
        for k in range(60):
            total += term
            term *= (2 * k + 1) / (2 * z * z)
            if abs(term) < mpf(10) ** -36:
                break
        return 1j * total / (sqrt(pi) * z)
    mp.dps = 45 + int(abs(z) ** 2)
    value = exp(-z * z) * erfc(-1j * z)
    mp.dps = 40
    return +value


def texts(*numbers):
    return ", ".join(nstr(number, 20) for number in numbers)


mp.dps = 40
# Coarse over what the law asks for, fine around the points of the sums (multiples of 0.2558...), and far away.
grid = [0.0, 1e-9, 0.03125, 0.25, 0.255, 0.5, 0.51171875, 0.7675, 1.0, 1.79, 2.5, 3.325, 4.0, 5.11, 6.125, 6.25, 9.0, 12.5]
points = [(x, y) for x in grid for y in grid]
points += [(x, y) for x in (0.0, 1e-3, 1.0, 31.5, 1e3, 9.9e6, 1.1e7, 1e100) for y in (0.0, 1e-3, 1.0, 31.5, 1e3, 9.9e6, 1.1e7, 1e100)
           if max(x, y) > 30]
print("/* x, y, Re w(x + iy), Im w(x + iy); then x, erfcx(x). Made by faddeeva_table.py. */")
print("static const double FADDEEVA[][4] = {")
for x, y in points:
    value = w(mpc(x, y))
    print("    {%r, %r, %s}," % (x, y, texts(value.real, value.imag)))
print("};\nstatic const double ERFCX[][2] = {")
for x in [-26.0, -5.0, -1.5, -0.5, -1e-9] + grid + [20.0, 28.0, 31.5, 1e3, 9.9e6, 1.1e7, 1e100, 1e300]:
    value = 2 * exp(mpf(x) ** 2) - w(mpc(0, -x)).real if x < 0 else w(mpc(0, x)).real
    print("    {%r, %s}," % (x, texts(value)))
print("};")
