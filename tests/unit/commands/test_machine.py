"""The machine is timed with the real network and the real analysers."""

from discourse_nmt.new_configuration.machine import measured_analysis, measured_network, this_machine

TINY = {"width": 16, "heads": 2, "feed_forward_width": 16, "encoder_layers": 1, "decoder_layers": 1}


def test_training_steps_are_timed() -> None:
    small, more = (measured_network(TINY, size, 60, 1) for size in (100, 200))
    assert small.rate > 0
    assert more.parameters - small.parameters == 100 * 16  # one matrix of embeddings


def test_analysis_of_the_beginning_is_timed() -> None:
    assert measured_analysis(["It rained, so she stayed at home."] * 3, "en") > 0


def test_a_machine_has_cores_and_memory() -> None:
    machine = this_machine()
    assert machine.cores >= 1 and machine.memory > 0.1 and machine.load >= 0
