"""Laws in numbers, and what they show: distances, times, moments, minima, edges of stability."""
