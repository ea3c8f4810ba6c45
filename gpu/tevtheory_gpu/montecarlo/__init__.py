"""Monte Carlo conformance on draft trees of real models: many trees, many verifiers, many processes."""
