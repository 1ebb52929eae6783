"""What the Help menu says of the program itself: what is installed, its licences, and what is new."""
