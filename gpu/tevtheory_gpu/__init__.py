"""The torch half: batched verifiers, target models, tree attention, drafters, Monte Carlo at scale and decoding."""
