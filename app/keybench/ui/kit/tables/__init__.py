"""Tables, and lists with their detail."""
