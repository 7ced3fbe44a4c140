"""What is checked and worked out when a sampler or a model is declared."""
