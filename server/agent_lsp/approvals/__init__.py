"""The porter: policy, pure."""
