"""The learning curves of every corpus."""

from collections.abc import Mapping

import pandas as pd
from markupsafe import Markup

from discourse_nmt.scoring.charts.learning_curves import CURVES, learning_curve
from discourse_nmt.scoring.reports.runs import ReportRun


def curves(metrics: Mapping[ReportRun, pd.DataFrame]) -> list[tuple[str, str, Markup]]:
    """Corpus, name of the measure and drawing, for every curve with at least one point."""
    drawn = []
    for corpus in dict.fromkeys(run.corpus for run in metrics):
        frames = [
            frame.assign(experiment=run.experiment, seed=run.seed)
            for run, frame in metrics.items()
            if run.corpus == corpus
        ]
        together = pd.concat(frames, ignore_index=True)
        for measure, title in CURVES.items():
            drawing = learning_curve(together, measure)
            if drawing:
                drawn.append((corpus, title, Markup(drawing)))
    return drawn
