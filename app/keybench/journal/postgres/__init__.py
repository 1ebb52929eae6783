"""What is PostgreSQL's alone: connections, rights, notices; imported where a desk's journal is a team's."""
