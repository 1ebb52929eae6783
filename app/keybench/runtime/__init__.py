"""Plain asyncio plumbing that knows nothing of payments: tasks, worker threads, clock, events, the log."""
