"""Batched verifiers, a family a file; each reads the tape at the addresses of its twin in `tevtheory.verifiers`."""
