"""Curves over time as one SVG, by rule: the same points give the same bytes. For `state plot` and `drives plot`.

The file holds no script, link or outside reference, and no word of anybody's: names of ours, days and numbers.
"""

from collections.abc import Mapping, Sequence

WIDTH, HEIGHT = 960, 120  # of one curve's panel
LEFT, TOP, GAP = 150, 40, 24
_STYLE = (
    "text{font:12px sans-serif}.name{font-weight:bold}.small{fill:#555;font-size:10px}.frame{fill:none;stroke:#ccc}"
    ".rest{stroke:#999;stroke-dasharray:4 3}.curve{fill:none;stroke:#2b6cb0;stroke-width:1.5}"
)


def svg(title: str, curves: Mapping[str, Sequence[tuple[float, float]]], rests: Mapping[str, float], ends: tuple[str, str]) -> str:  # fmt: skip
    """A panel a curve, one below the other. Points are (0 to 1 of the time, value 0 to 1); `ends` name the first and last day."""
    height = TOP + len(curves) * (HEIGHT + GAP) + 20
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 20} {height}">',
        f"<style>{_STYLE}</style>",
        f'<text x="8" y="20" class="name">{title}</text>',
    ]
    for n, (name, points) in enumerate(curves.items()):
        top = TOP + n * (HEIGHT + GAP)
        lines += _panel(name, points, rests[name], top)
    low = height - 14
    lines.append(f'<text x="{LEFT}" y="{low}" class="small">{ends[0]}</text>')
    lines.append(f'<text x="{LEFT + WIDTH}" y="{low}" class="small" text-anchor="end">{ends[1]}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def _panel(name: str, points: Sequence[tuple[float, float]], rest: float, top: int) -> list[str]:
    now = f", now {points[-1][1]:.2f}" if points else ""
    drawn = " ".join(f"{LEFT + x * WIDTH:.1f},{_down(value, top):.1f}" for x, value in points)
    return [
        f'<rect class="frame" x="{LEFT}" y="{top}" width="{WIDTH}" height="{HEIGHT}"/>',
        f'<text x="8" y="{top + 16}">{name.replace("_", " ")}</text>',
        f'<text x="8" y="{top + 32}" class="small">rest {rest:.2f}{now}</text>',
        f'<line class="rest" x1="{LEFT}" y1="{_down(rest, top):.1f}" x2="{LEFT + WIDTH}" y2="{_down(rest, top):.1f}"/>',
        f'<polyline class="curve" points="{drawn}"/>',
    ]


def _down(value: float, top: int) -> float:
    return top + (1.0 - value) * HEIGHT
