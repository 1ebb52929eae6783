"""The Review view of the Keys page: findings, what becomes due, and the check of somebody who leaves."""
