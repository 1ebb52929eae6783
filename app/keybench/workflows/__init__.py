"""The use cases, plain asyncio, speaking to ports."""
