"""The Keys page: the inventory, the applications, the review and the activity of every environment's keys."""
