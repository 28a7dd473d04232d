"""Translation by language models: prompts that see structure, and requests of which none is lost or paid twice."""
