"""The key review: which rules of keeping keys an organisation's keys break, worst first; pure."""
