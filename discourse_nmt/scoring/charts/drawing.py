"""Charts as SVG: Vega-Altair describes them and vl-convert draws them, without a browser, a network or a script.

Text and axes have the colour of the text around them, so that one drawing serves light and dark pages.
"""

import altair
import vl_convert

# Okabe and Ito's palette without black and yellow: readable for the colour-blind and on both backgrounds.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]
GREY = "#7d838a"  # of what stands back, readable on both backgrounds
WIDTH, HEIGHT = 480, 260
# Wider letters of another machine reach into this margin, not beyond the drawing.
MARGIN = 16
LETTERS = 13  # pixels; still readable on a phone
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"


def svg(chart: altair.Chart | altair.LayerChart, height: int = HEIGHT) -> str:
    """The drawing of a chart, without a background; ``height`` in pixels without axes and legend."""
    styled = (
        chart.properties(width=WIDTH, height=height)
        .configure(background="transparent", padding=MARGIN, font=FONT)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor="currentColor",
            titleColor="currentColor",
            domainColor="currentColor",
            tickColor="currentColor",
            gridColor="currentColor",
            gridOpacity=0.15,
            labelFontSize=LETTERS,
            titleFontSize=LETTERS,
        )
        .configure_legend(
            orient="bottom", columns=3, labelFontSize=LETTERS, labelColor="currentColor", titleColor="currentColor"
        )
    )
    return str(vl_convert.vegalite_to_svg(styled.to_dict()))
