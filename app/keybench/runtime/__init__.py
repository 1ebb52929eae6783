"""Plain asyncio plumbing that knows nothing of payments: supervised tasks, worker threads, clock, events, the log."""
