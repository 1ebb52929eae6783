"""The inventory: a table of every environment's keys, and what is done with several of them."""
