"""Libraries that once came along."""
