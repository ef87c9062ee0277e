r"""The formulas of the paper in LaTeX's notation, by their form in Typst's, which is that of the text."""

from __future__ import annotations

import re

_SAME = re.compile(r"[A-Za-z](?:'?_[A-Za-z0-9])?(?: [=<] \d)?")
"""Formulas that mean the same in both."""

_LATEX = {
    "I_n = f(I'_(n-1)), quad I'_n = b(I_n), quad n = 1, ..., N.": (
        r"I_n = f(I'_{n-1}), \quad I'_n = b(I_n), \quad n = 1, \ldots, N."
    ),
    '100/N sum_(n=1)^N g_n sqrt("undid"_n dot "kept"_n),': (
        r"\frac{100}{N} \sum_{n=1}^{N} g_n \sqrt{\mathrm{undid}_n \cdot \mathrm{kept}_n},"
    ),
    '10 log_10 (255^2 \\/ "MSE")': r"10 \log_{10} (255^2 / \mathrm{MSE})",
    "7 times 7": r"7 \times 7",
    "11 times 11": r"11 \times 11",
    "256 times 256": r"256 \times 256",
    '"SSIM" = ((2 mu_x mu_y + C_1)(2 sigma_(x y) + C_2)) / '
    "((mu_x^2 + mu_y^2 + C_1)(sigma_x^2 + sigma_y^2 + C_2)),": (
        r"\mathrm{SSIM} = \frac{(2 \mu_x \mu_y + C_1)(2 \sigma_{xy} + C_2)}"
        r"{(\mu_x^2 + \mu_y^2 + C_1)(\sigma_x^2 + \sigma_y^2 + C_2)},"
    ),
    "C_1 = (0.01 dot 255)^2": r"C_1 = (0.01 \cdot 255)^2",
    "C_2 = (0.03 dot 255)^2": r"C_2 = (0.03 \cdot 255)^2",
    "phi.alt": r"\phi",
    '"LPIPS" = sum_l 1/(H_l W_l) sum_i sum_c w_(l c) (phi.alt_(l c i)(x) - phi.alt_(l c i)(y))^2.': (
        r"\mathrm{LPIPS} = \sum_l \frac{1}{H_l W_l} \sum_i \sum_c w_{lc} (\phi_{lci}(x) - \phi_{lci}(y))^2."
    ),
    'p = (m - m_"worst") / (m_"perfect" - m_"worst"), quad "limited to [0, 1]".': (
        r"p = \frac{m - m_{\mathrm{worst}}}{m_{\mathrm{perfect}} - m_{\mathrm{worst}}}, \quad "
        r"\mbox{limited to } [0, 1]."
    ),
    '1 - "LPIPS"': r"1 - \mathrm{LPIPS}",
    '1 - "SSIM"': r"1 - \mathrm{SSIM}",
    "1 - 10^(-m\\/20)": r"1 - 10^{-m/20}",
    '"AUC" = 1/N sum_(n=1)^N (p_(n-1) + p_n)/2.': (
        r"\mathrm{AUC} = \frac{1}{N} \sum_{n=1}^{N} \frac{p_{n-1} + p_n}{2}."
    ),
    "p < 1\\/2": "p < 1/2",
    "S(t) = product_(t_i <= t) (1 - d_i / r_i), quad t_(1\\/2) = min {t : S(t) <= 1\\/2}.": (
        r"S(t) = \prod_{t_i \le t} \left(1 - \frac{d_i}{r_i}\right), \quad "
        r"t_{1/2} = \min \{t : S(t) \le 1/2\}."
    ),
    "1 - b n": "1 - bn",
    "e^(-k n)": "e^{-kn}",
    "c + (1 - c) e^(-k n)": "c + (1 - c) e^{-kn}",
    "d_n = 1 - p(I'_(n-1), I'_n)": "d_n = 1 - p(I'_{n-1}, I'_n)",
    "n >= 2": r"n \ge 2",
    "q = (sum d_(n+1)) / (sum d_n).": r"q = \frac{\sum d_{n+1}}{\sum d_n}.",
    "1 - p(I'_0, I'_N) + d_N q \\/ (1 - q)": "1 - p(I'_0, I'_N) + d_N q / (1 - q)",
    'Q = (A_"SSIM" + A_"LPIPS") / 2, quad S = A_"CLIP", quad C = 100 sqrt(Q S).': (
        r"Q = \frac{A_{\mathrm{SSIM}} + A_{\mathrm{LPIPS}}}{2}, \quad S = A_{\mathrm{CLIP}}, \quad "
        r"C = 100 \sqrt{Q S}."
    ),
}


def latex_formula(source: str) -> str:
    """
    >>> latex_formula("I'_0"), latex_formula("n >= 2")
    ("I'_0", 'n \\\\ge 2')
    """
    known = _LATEX.get(source)
    if known is None and not _SAME.fullmatch(source):
        raise LookupError(f"the formula {source} has no form in LaTeX; add it to formulas.py")
    return known or source
