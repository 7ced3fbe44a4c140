"""One step of a sampler as linear algebra and as moments."""
