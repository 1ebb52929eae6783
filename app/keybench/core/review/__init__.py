"""The review of keys: what it looks at, and what a finding, a reminder and a leaver check are; pure."""
