"""The practice gateway: a real HTTP payment service on loopback, reading the rules on its own."""
