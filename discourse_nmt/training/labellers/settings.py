"""Settings of the training of theme labellers. Free of torch, as the workflow reads them."""

from dataclasses import dataclass

from discourse_nmt.base.settings import setting


@dataclass(frozen=True)
class LabellerTrainingSettings:
    """Adam at a constant rate; the epoch with the smallest loss on the development sentences is kept."""

    learning_rate: float = setting(0.001, "learning rate of Adam, constant", minimum=0)
    epochs: int = setting(5, "passes over the training sentences", minimum=1)
    batch_sentences: int = setting(256, "sentences of a batch", minimum=1)
