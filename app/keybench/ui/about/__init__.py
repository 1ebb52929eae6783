"""What the Help menu says of the program itself: what is installed, and its licences."""
