"""Verifiers as short programs over (problem, chooser); `catalogue` lists them with their claims."""
